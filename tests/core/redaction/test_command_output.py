"""What a command that prints a secret printed is hidden; what any other one printed is not."""

from __future__ import annotations

import re

import pytest

from daily_memory.core.redaction.command_output import (
    COMMANDS,
    RULES,
    hidden_output,
    printed_secret,
)
from daily_memory.core.redaction.privacy import Policy, redact

PRINTED = "Kx82-moth" + "-Pzq1"
MARK = "[REDACTED:secret]"

PRINTING = """\
vault kv get -field=password secret/prod/db
op read "op://Prod/Postgres/password"
pass show work/jira
gopass infra/mongo
bw get password 99ee88d7
secret-tool lookup service mail user ann
security find-generic-password -s github -w
aws ssm get-parameter --name /prod/db --with-decryption --query Parameter.Value --output text
aws configure get aws_secret_access_key
az keyvault secret show --name db --query value -o tsv
gcloud auth print-access-token
gh auth token
kubectl get secret db -o go-template='{{.data.pw | base64decode}}'
kubectl get secret db -o jsonpath='{.data.pw}' | base64 -d; echo
kubectl create token deployer
doppler secrets get DB --plain
sops -d --extract '["db"]["pw"]' secrets.yaml
terraform output -raw db_password
heroku config:get SESSION_SALT
printenv DATABASE_PASSWORD
echo "$DB_PASSWORD"
printf '%s\\n' "$DB_PASSWORD"
echo "$(openssl rand -hex 24)"
echo `pass show work/jira`
echo "it is $(vault kv get -field=password secret/db)" | tr -d x
cat /run/secrets/db
docker exec -it ci cat /var/jenkins_home/secrets/initialAdminPassword
openssl rand -hex 24
gpg --gen-random --armor 1 24
pwgen -s 16 1
head -c 32 /dev/urandom | base64
python3 -c "import secrets; print(secrets.token_urlsafe(24))"
argocd account generate-token --account ci
mytool admin initial-password
cd infra && FOO=1 sudo vault read -field=value kv/stripe""".split("\n")

PRINTING_NOTHING = """\
vault status
pass ls
pass show work/jira | pbcopy
pass show work/jira > jira.txt
openssl rand -hex 24 -out key.hex
openssl rand -hex 24 | wc -c
docker login -u ann -p $(pass show work/registry)
aws ssm get-parameter --name /app/region --query Parameter.Value --output text
aws configure get region
terraform output -raw vpc_id
echo "$(pass show work/registry)" | wc -c
echo "$DB_PASSWORD" | wc -c
echo "$(date) token"
mytool get-token > token.json
heroku config:get NODE_ENV
echo $HOME
cat src/auth/token.py
git log --oneline secret-branch
kubectl get pods -o name
ls -la""".split("\n")


@pytest.mark.parametrize("prompt", ["$ ", "root@ci:~# ", "PS C:\\> ", "~/app main ❯ "])
@pytest.mark.parametrize("command", PRINTING)
def test_what_a_command_prints_is_hidden_in_a_pasted_terminal(command: str, prompt: str) -> None:
    text = f"I ran\n{prompt}{command}\n{PRINTED}\n\nand it works"

    # Some values are known by the last word of the command too, as another kind.
    found = re.sub(r"\[REDACTED:\w+\]", MARK, redact(text, Policy()).text)
    assert found == text.replace(PRINTED, MARK)


@pytest.mark.parametrize("command", PRINTING)
def test_what_a_command_prints_is_hidden_in_the_output_of_a_tool(command: str) -> None:
    assert hidden_output(command, f"{PRINTED}\n") == f"{MARK}\n"


@pytest.mark.parametrize("command", PRINTING_NOTHING)
def test_the_output_of_any_other_command_is_left_whole(command: str) -> None:
    text = f"$ {command}\nprod-eks-7\n"

    assert printed_secret(command) == 0
    assert hidden_output(command, text) == text
    assert redact(text, Policy()).text == text


def test_each_row_of_the_table_has_a_sample() -> None:
    parts = [part.strip() for command in PRINTING for part in command.split("&&")]
    parts += ["sudo", "vault read x", "cat /run/secrets/db"]

    without = [
        command
        for number, command in enumerate(COMMANDS)
        if not any(map(RULES.compiled(number).match, parts))
    ]

    assert without == []


@pytest.mark.parametrize(
    "said",
    [
        "Error: work/jira is not in the password store.",
        "zsh: command not found: pass",
        "gpg: decryption failed: No secret key",
        "-",
        "\n-",
        "[REDACTED:token]",
    ],
)
def test_a_message_in_place_of_the_secret_is_left_whole(said: str) -> None:
    text = f"$ pass show work/jira\n{said}"

    assert redact(text, Policy()).text == text


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (
            f"{PRINTED}\nurl: https://jira.acme.dev\nlogin: ann",
            f"{MARK}\nurl: https://jira.acme.dev\nlogin: ann",
        ),
        ("correct horse battery", MARK),
        (
            f'{{\n  "Name": "/app/jwt",\n  "Value": "{PRINTED}",\n  "Version": 3\n}}',
            f'{{\n  "Name": "/app/jwt",\n  "Value": "{MARK}",\n  "Version": 3\n}}',
        ),
        (f"Key      Value\ndsn      {PRINTED}", f"Key      Value\ndsn      {MARK}"),
    ],
)
def test_of_several_lines_only_the_secret_ones_are_hidden(printed: str, expected: str) -> None:
    assert hidden_output("vault kv get secret/app", printed) == expected


def test_a_blank_line_ends_what_a_pasted_command_printed() -> None:
    text = f"$ vault kv get secret/app\nname: app\n\n{PRINTED}"

    assert redact(text, Policy()).text == text
    assert hidden_output("cat /run/secrets/db", f"two\n{PRINTED}") == f"two\n{PRINTED}"
    assert hidden_output("openssl rand -hex 4", "x.y-1: 7f0c") == MARK


def test_every_password_that_a_generator_prints_is_hidden() -> None:
    printed = "eiQu8ahp aeB3Uuzo\nOhz1phah gh6OofYa"

    assert hidden_output("pwgen 8 4", printed) == f"{MARK}\n{MARK}"


def test_the_next_command_or_the_end_of_a_block_ends_the_output() -> None:
    text = f"```\n$ pass show a/b\n```\n{PRINTED}\n```\n$ pass show a/b\n$ ls\nprod-eks-7x9\n```"

    assert redact(text, Policy()).text == text


def test_without_a_prompt_only_a_lone_line_that_looks_secret_is_hidden() -> None:
    command = "vault kv get -field=password secret/db"

    assert redact(f"{command}\n{PRINTED}", Policy()).text == f"{command}\n{MARK}"
    assert redact(f"{command}\nprints the password", Policy()).text.endswith("the password")
    assert redact(f"please {command}\n{PRINTED}", Policy()).text.endswith(PRINTED)


@pytest.mark.parametrize(
    "command",
    [
        *("vault read secret/db", "vault token create", "vault unwrap", "vault print token"),
        *("op item get db", "rbw get jira", "lpass show jira", "bw get totp jira"),
        *("pass otp jira", "pass generate work/x", "keyring get system bob"),
        *("security find-internet-password -s x -g", "aws ecr get-login-password"),
        *("aws secretsmanager get-secret-value --secret-id x", "az account get-access-token"),
        *("aws secretsmanager get-random-password", "az storage account keys list -n x"),
        *("az ad sp credential show -n x", "gcloud auth print-identity-token"),
        *("gcloud secrets versions access latest", "gcloud kms decrypt --key x"),
        *("glab auth token", "fly auth token", "oc whoami -t", "oc whoami --show-token"),
        *("infisical secrets get DB", "chamber read app db", "berglas access app/db"),
        *("akeyless get-secret-value -n x", "ansible-vault view vars.yml"),
        *("tofu output -raw db_password", "terragrunt output -raw db_password"),
        *("pulumi config get dbPassword", "echo $DB_PASSWORD", "printf $DB_PASSWORD"),
        *("tail /run/secrets/db", "less db_token", "head my_secret.txt", "cat api_key"),
        *("apg -n 1", "makepasswd", "xkcdpass", "diceware", "bw generate", "wg genkey"),
        *("wg genpsk", "consul keygen", "gpg2 --gen-random 1 24", "xxd -l 8 /dev/random"),
        *("node -e 'crypto.randomBytes(24)'", "ruby -e 'puts SecureRandom.hex'"),
        *("python3 -c 'print(Fernet.generate_key())'", "python3 -c 'get_random_secret_key()'"),
        *("mytool reveal credential", "mytool password show", "mytool create passphrase"),
        *("mytool get api-key", "mytool get apikey", "mytool rotate passwd"),
        *("time op read op://a/b", "env A=1 op read op://a/b", "ssh bob@h op read op://a/b"),
        *("docker exec -it web op read op://a/b", "/usr/local/bin/op read op://a/b"),
        *("op read op://a/b | tr -d x | head -1", "op read op://a/b > /dev/stdout"),
    ],
)
def test_each_command_that_prints_a_secret_is_known(command: str) -> None:
    assert hidden_output(command, PRINTED) == MARK


@pytest.mark.parametrize(
    "said",
    [
        *("an error occurred", "key not found", "no such item", "access denied", "it did fail"),
        *("we cannot read it", "you can't do it", "could not read", "unable to read"),
        *("usage: pass show", "invalid name given", "a warning only", "unknown item name"),
        *("missing the name", "it has expired now", "a name is required", "there is no value"),
        *("it is not in the store", "please log in", "with success now", "copied to clipboard"),
        *("created it now", "updated it now", "saved it now", "enter the passphrase now"),
        *(
            "it is forbidden here",
            "you are unauthorized here",
            "出现 错误",
            "操作 失败",
            "未找到 x",
        ),
        *("条目 不存在", "无法 读取", "没有 条目"),
    ],
)
def test_each_message_is_known(said: str) -> None:
    assert hidden_output("pass show work/jira", said) == said


@pytest.mark.parametrize(
    "name", ["value", "SecretString", "SecretBinary", "Plaintext", "token", "password", "data"]
)
def test_a_field_that_holds_the_secret_is_hidden_whatever_it_looks_like(name: str) -> None:
    printed = f"{PRINTED}\n{name}: correct horse\n"

    assert hidden_output("vault read secret/db", printed) == f"{MARK}\n{name}: {MARK}\n"


def test_forty_lines_of_an_output_are_read() -> None:
    printed = "\n".join([PRINTED] * 41)

    hidden = hidden_output("pwgen 14 41", printed).split("\n")

    assert hidden == [MARK] * 40 + [PRINTED]


def test_a_line_of_three_letters_or_of_signs_alone_is_no_secret() -> None:
    assert hidden_output("pass show work/jira", "abc") == "abc"
    assert hidden_output("pass show work/jira", "abcd") == MARK
    assert hidden_output("pass show work/jira", "----") == "----"


@pytest.mark.parametrize(
    "prompt", ["# ", "% ", "λ ", "➜  app git:(main) ✗ ", "➜  ~ ", "➜ ", "C:\\Users\\bob> "]
)
def test_each_prompt_is_known(prompt: str) -> None:
    text = f"{prompt}pass show work/jira\n{PRINTED}\n{prompt}ls\n{PRINTED}x"

    redacted = redact(text, Policy()).text

    assert redacted == f"{prompt}pass show work/jira\n{MARK}\n{prompt}ls\n{PRINTED}x"


@pytest.mark.parametrize("command", ["gopass show a/b", "op read op://a/b", "sops --extract x y"])
def test_without_a_prompt_a_known_tool_begins_the_line(command: str) -> None:
    for above in ("", "so it is\n"):
        text = f"{above}{command}\n"
        assert redact(f"{text}{PRINTED}", Policy()).text == f"{text}{MARK}"


@pytest.mark.parametrize(
    "printed",
    ["k3x9!", "/var/lib/x2!y", "./k3x9!b", "~/k3x9!b", "https://acme.dev/k3x9", "k3x9! two"],
)
def test_without_a_prompt_what_may_be_no_secret_is_left(printed: str) -> None:
    text = f"vault read secret/db\n{printed}"

    assert redact(text, Policy()).text == text


def test_without_a_prompt_or_a_known_tool_a_line_is_no_command() -> None:
    text = "he will read secret now\nx9-abK7q!"

    assert redact(text, Policy()).text == text


def test_a_blank_line_before_the_output_does_not_end_it() -> None:
    text = f"$ pass show work/jira\n\n{PRINTED}\n"

    assert redact(text, Policy()).text == f"$ pass show work/jira\n\n{MARK}\n"


@pytest.mark.parametrize(
    ("output", "hidden"),
    [
        # a blank line, a prompt and the end of a code block end the output; other signs don't
        ("k3J9xQz7\n\nLm2pR5tV", f"{MARK}\n\nLm2pR5tV"),
        ("k3J9xQz7\n$ ls\nLm2pR5tV", f"{MARK}\n$ ls\nLm2pR5tV"),
        ("k3J9xQz7\n```\nLm2pR5tV", f"{MARK}\n```\nLm2pR5tV"),
        ("k3J9xQz7> aa\nLm2pR5tV", f"{MARK}\n{MARK}"),
        ("  two words  ", f"  {MARK}  "),
        # four characters, and a letter or digit, are the least
        ("abcd", MARK),
        ("abc", "abc"),
        ("----", "----"),
        # a message
        ("no value found", "no value found"),
        # a field is secret by its name or by its value; a name in several parts is none
        ("value: tiger", f"value: {MARK}"),
        ("name: tiger", "name: tiger"),
        ("name: k3J9xQz7", f"name: {MARK}"),
        ("my-name: tiger", MARK),
    ],
)
def test_what_is_secret_of_an_output(output: str, hidden: str) -> None:
    assert redact(f"$ pwgen 16 2\n{output}\n", Policy()).text == f"$ pwgen 16 2\n{hidden}\n"


def test_blank_lines_end_no_output_that_is_known_to_be_one() -> None:
    assert hidden_output("pwgen 16 2", "k3J9xQz7\n\nLm2pR5tV") == f"{MARK}\n\n{MARK}"


def test_a_tool_without_a_prompt_begins_a_line() -> None:
    assert redact(f"openssl rand -hex 24\n{PRINTED}", Policy()).text.endswith(f"\n{MARK}")


@pytest.mark.parametrize(
    ("command", "secret"),
    [
        ("mytool get-token | wc -c", 0),
        ("mytool get-token | /usr/bin/jq .", 1),
        ("mytool get-token 2> errors.txt", 1),
        ("mytool get-token > /dev/stderr", 1),
        ("ls; mytool get-token", 1),
        ("mytool get-token && pwgen", 3),
        ("cat token.txt", 1),
        ("cat region.txt", 0),
        ("mytool 'a;b' get-token", 1),
        ("echo $REGION_TOKEN_ID", 0),
        ("", 0),
    ],
)
def test_a_line_prints_what_the_most_secret_of_its_commands_prints(
    command: str, secret: int
) -> None:
    assert printed_secret(command) == secret
