// Daily Memory for OpenCode: records conversations, and adds what is known of a question.
// <!-- daily-memory: written by `memory install`, which overwrites it -->
import { spawn } from "node:child_process"

const COMMAND = ["memory"]
const TIMEOUT_MS = 10_000

// Runs `memory hook opencode` and returns its context block, "" where there is none.
function hook(directory, event) {
  return new Promise((resolve) => {
    const [program, ...words] = COMMAND
    const child = spawn(program, [...words, "hook", "opencode"], {
      cwd: directory,
      stdio: ["pipe", "pipe", "ignore"],
      timeout: TIMEOUT_MS,
    })
    let output = ""
    child.stdout.on("data", (data) => (output += data))
    child.stdin.on("error", () => {})
    child.on("error", () => resolve(""))
    child.on("close", () => {
      try {
        resolve(JSON.parse(output).hookSpecificOutput?.additionalContext ?? "")
      } catch {
        resolve("")
      }
    })
    child.stdin.end(JSON.stringify({ cwd: directory, ...event }))
  })
}

export const DailyMemory = async ({ client, directory }) => {
  const started = new Set() // the conversations of this process
  const inner = new Set() // those of subagents: what they say is in the result of a tool
  const blocks = new Map() // what a conversation was told, and is told again at each request
  const send = (name, session, fields = {}) =>
    hook(directory, { hook_event_name: name, session_id: session, ...fields })

  async function isInner(session) {
    if (!started.has(session) && !inner.has(session)) {
      const found = await client.session.get({ path: { id: session } }).catch(() => undefined)
      if (found?.data?.parentID) inner.add(session)
    }
    return inner.has(session)
  }

  async function start(session, source) {
    started.add(session)
    const block = await send("SessionStart", session, { source })
    if (block) blocks.set(session, [...(blocks.get(session) ?? []), block])
  }

  async function lastAnswer(session) {
    const messages = await client.session.messages({ path: { id: session } }).catch(() => undefined)
    const last = messages?.data?.findLast((message) => message.info.role === "assistant")
    const texts = last?.parts.filter((part) => part.type === "text" && !part.synthetic) ?? []
    return { turn: last?.info.parentID ?? "", text: texts.map((part) => part.text).join("\n") }
  }

  return {
    "chat.message": async ({ sessionID, messageID }, { message, parts }) => {
      if (await isInner(sessionID)) return
      if (!started.has(sessionID)) await start(sessionID, "startup")
      const said = parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = said.map((part) => part.text).join("\n")
      const turn = { prompt, prompt_id: messageID ?? message.id }
      const block = await send("UserPromptSubmit", sessionID, turn)
      if (block) blocks.set(sessionID, [...(blocks.get(sessionID) ?? []), block])
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      output.system.push(...(blocks.get(sessionID) ?? []))
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, result) => {
      if (await isInner(sessionID)) return
      const status = result.metadata?.exit
      const error = status ? { error: `Exit code ${status}` } : {}
      const fields = { tool_name: tool, tool_input: args, tool_use_id: callID, ...error }
      await send("PostToolUse", sessionID, { ...fields, tool_response: result.output })
    },
    event: async ({ event }) => {
      const session = event.properties?.sessionID
      if (!session || inner.has(session) || !started.has(session)) return
      if (event.type === "session.idle") {
        const { turn, text } = await lastAnswer(session)
        await send("Stop", session, { last_assistant_message: text, prompt_id: turn })
      } else if (event.type === "session.compacted") {
        blocks.delete(session)
        await start(session, "compact")
      }
    },
  }
}
