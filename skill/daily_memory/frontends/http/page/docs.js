"use strict";

function made(name, text, ...children) {
  const element = document.createElement(name);
  element.textContent = text;
  element.append(...children);
  return element;
}

// A schema as people read it: {"id": text, "tags": [text]}.
function described(schema, indent = "") {
  if (schema.anyOf) return schema.anyOf.map((one) => described(one, indent)).join(" or ");
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(" | ");
  if (schema.type === "array") return `[${described(schema.items, indent)}, …]`;
  if (schema.properties) {
    const deeper = `${indent}  `;
    const lines = Object.entries(schema.properties).map(([name, one]) => `${deeper}"${name}": ${described(one, deeper)}`);
    return `{\n${lines.join(",\n")}\n${indent}}`;
  }
  return schema.format || schema.type || "any";
}

function shown(path, verb, operation) {
  const heading = made("h2", "", made("span", verb.toUpperCase()), made("code", path));
  heading.firstChild.className = "verb";
  const parts = [heading, made("p", operation.summary)];
  if (operation.parameters.length) {
    const rows = operation.parameters.map((one) => {
      const start = one.schema.default === undefined ? "" : `; ${JSON.stringify(one.schema.default)} if not given`;
      return made("tr", "", made("td", "", made("code", one.name)), made("td", described(one.schema)),
        made("td", `${one.description}${one.required ? "; required" : start}`));
    });
    parts.push(made("table", "", ...rows));
  }
  const body = operation.requestBody;
  if (body) parts.push(made("p", "takes"), made("pre", described(body.content["application/json"].schema)));
  parts.push(made("p", "answers"), made("pre", described(operation.responses["200"].content["application/json"].schema)));
  return made("section", "", ...parts);
}

fetch("/openapi.json").then((response) => response.json()).then((document_) => {
  const sections = Object.entries(document_.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => shown(path, verb, operation)));
  document.getElementById("routes").replaceChildren(...sections);
}).catch((error) => {
  document.getElementById("told").textContent = error.message;
});
