"""What a name promises, and what a value looks like: each judge by examples on both sides."""

from __future__ import annotations

import pytest

from daily_memory.core.redaction import words

PASSWORD = "Tiger#" + "2931!"
TOKEN = "Zq81" + "xKp03RtYw77Nbv5Lc2Q"
HEX = "5f4dcc3b" + "5aa765d61d8327deb882cf99"


@pytest.mark.parametrize(
    ("name", "promise"),
    [
        ("password", words.PASSWORD),
        ("dbPassword", words.PASSWORD),
        ("MYSQL_PASS", words.PASSWORD),
        ("user_pass", words.PASSWORD),
        ("PGPASSWORD", words.PASSWORD),
        ("password_prod", words.PASSWORD),
        ("MYSQL_PASS_PROD", words.PASSWORD),
        ("pass_rate", words.NOTHING),
        ("API_KEY", words.TOKEN),
        ("npmtoken", words.TOKEN),
        ("clientSecret", words.TOKEN),
        ("cache_token", words.NOTHING),
        ("password_hash", words.NOTHING),
        ("max_tokens", words.NOTHING),
        ("key", words.HINT),
        ("pass", words.HINT),
        ("monkey", words.NOTHING),
    ],
)
def test_a_name_promises_what_its_words_say(name: str, promise: int) -> None:
    assert words.promise_of(name) == promise


def test_a_hint_needs_a_value_that_only_a_machine_makes() -> None:
    for digits in ("deadbeef" * 8, "DEADBEEF" * 8):
        assert words.is_secret(digits, words.HINT, quoted=True)
        assert not words.is_secret(digits[1:], words.HINT, quoted=True)
    assert words.is_secret(TOKEN, words.HINT, quoted=False)
    assert words.is_secret(HEX * 2, words.HINT, quoted=False)
    assert not words.is_secret("node20-alpine3-slim-bookworm", words.HINT, quoted=False)


@pytest.mark.parametrize(
    "name",
    [
        *("passwords", "passwrd", "passphrase", "passcode", "passwort", "kennwort", "pwd", "pwds"),
        *("psw", "psswd", "pw", "userpwd", "dbpwd", "rootpwd", "mypwd", "dbpass", "userpass"),
        *("rootpass", "adminpass", "sshpass", "ftppass", "mailpass", "smtppass", "redispass"),
        *("mysqlpass", "proxypass", "requirepass", "masterauth", "storepass", "keypass", "psk"),
        *("ldapbindpw", "xrootpw", "mypasswd", "keypassphrase", "olduserpwd", "testdbpwd"),
        *("mysql_pass", "redis_pass", "root_pass", "db_pass", "smtp_pass", "user_pass"),
        *("admin_pass", "ftp_pass", "ssh_pass", "ldap_pass", "mysql_pass_prod"),
    ],
)
def test_a_name_of_a_password_promises_one(name: str) -> None:
    assert words.promise_of(name) == words.PASSWORD


@pytest.mark.parametrize(
    "name",
    [
        *("secrets", "apikeys", "authkey", "appkey", "accountkey", "signkey", "signingkey"),
        *("masterkey", "encryptionkey", "aeskey", "encodingaeskey", "sharedkey", "hmackey"),
        *("licensekey", "accesskeyid", "accesskeysecret", "secretid", "deploykey", "sshkey"),
        *("jwtkey", "credential", "credentials", "authorization", "passkey", "mnemonic", "xsrf"),
        *("jwt", "bearer", "apptoken", "appsecret", "myapikey", "myaccesskey", "mysecretkey"),
        *("myprivatekey", "api_key", "secret_key", "private_key", "signing_key", "openai_key"),
        *("sessionid", "sessid", "phpsessid", "jsessionid"),
    ],
)
def test_a_name_of_a_token_promises_one(name: str) -> None:
    assert words.promise_of(name) == words.TOKEN


@pytest.mark.parametrize(
    "name",
    [
        *("auth", "key", "ak", "sk", "pass", "pin", "otp", "cookie", "session"),
        *("sid", "sig", "signature", "hmac", "salt", "seed"),
        *("cvv", "dsn", "webhook", "nonce", "cred", "creds", "pat"),
    ],
)
def test_a_name_of_what_may_be_a_secret_is_a_hint(name: str) -> None:
    assert words.promise_of(name) == words.HINT


@pytest.mark.parametrize(
    ("judge", "shortest"),
    [
        (words.is_spoken_password, "ab1x9"),
        (words.is_weak_password, "abcd"),
        (words.is_worded_secret, "hunter2"),
        (words.is_random, "a1Zq81xKp03RtYw7"),
        (words.is_strong_password, "aB3$xY"),
    ],
)
def test_each_kind_of_value_has_a_least_length(judge, shortest: str) -> None:
    assert judge(shortest)
    assert not judge(shortest[1:])


@pytest.mark.parametrize("value", ["dummy@2931", "dummy.29#", "dummy12#", "dummy2931%@!"])
def test_a_word_its_digits_and_a_sign_are_a_password_whatever_the_word(value: str) -> None:
    assert words.is_strong_password(value)


def test_a_strong_password_has_64_characters_at_most() -> None:
    assert words.is_strong_password("aB3$" * 16)
    assert not words.is_strong_password("aB3$" * 16 + "x")


@pytest.mark.parametrize(
    "value",
    [
        *("password", "none", "changeme", "required", "n/a", "xxxxxx", "******"),
        *("<your-key>", "[token]", "{token}", "${TOKEN}", "$(pass show x)", "$DB_PASSWORD"),
        *("%TOKEN%", "%(token)s", "#{token}", "your-api-key", "insert key here"),
        *("my-example-key1", "https://acme.dev/x", "vault:secret/x", "op://vault/x", "/^[a-z]+$/"),
        *("11111111", "ababab", "x-x_x*", "Zq8" * 98 + "dummy!"),
    ],
)
def test_a_placeholder_is_no_secret(value: str) -> None:
    assert words.is_placeholder(value)


@pytest.mark.parametrize(
    "value", ["hunter2", "1212", "abc123", TOKEN, PASSWORD, "Zq8" * 99 + "dummy!"]
)
def test_a_made_up_value_is_no_placeholder(value: str) -> None:
    assert not words.is_placeholder(value)


@pytest.mark.parametrize(
    "value",
    [
        *("get_token()", "env[0]", "await load", "new Secret", "config.yaml", "key.pem", "x.p12"),
        *("1.2.3", "v2.0", "2026-01-29", "12:30", "3600s", "10%", "1-2", "0x1f", "require x"),
    ],
)
def test_an_expression_a_file_and_a_number_are_code(value: str) -> None:
    assert words.is_code(value)


def test_what_is_made_of_words_is_wordy_and_a_slug() -> None:
    assert words.is_wordy("user-settings-v2")
    assert words.is_wordy("getUserName2")
    assert words.is_wordy("readALLFiles")
    assert words.is_wordy("$DB-user!")
    assert words.is_wordy("%main*")
    assert not words.is_wordy("aBcDe")
    assert not words.is_wordy("k3j9x0aa")
    assert not words.is_wordy("tiger!box")
    assert words.is_slug("cache-2024")
    assert not words.is_slug("cache-20245")
    assert not words.is_slug("2024-2025")


@pytest.mark.parametrize(
    "label", ["password hash", "token count", "secret name", "key length", "password file"]
)
def test_a_label_may_say_that_its_value_is_no_secret(label: str) -> None:
    assert not words.is_of_secret(label)
    assert words.is_of_secret("password reset for bob")


@pytest.mark.parametrize(
    "name",
    [
        # what is behind the name
        *("password_hash", "token_id", "token_type", "secret_name", "password_length"),
        *("token_size", "password_field", "secret_file", "token_path", "token_url", "token_uri"),
        *("token_endpoint", "password_policy", "password_reset", "password_strength"),
        *("token_expires", "token_ttl", "token_count", "token_limit", "token_usage"),
        *("token_bucket", "secret_manager", "token_provider", "token_store", "token_service"),
        *("password_helper", "password_util", "password_validator", "password_rule"),
        *("token_regex", "password_hint", "password_label", "password_placeholder"),
        *("password_prompt", "password_input", "password_form", "password_page", "token_error"),
        *("password_message", "password_required", "token_enabled", "password_visible"),
        *("password_min", "password_max", "token_age", "token_version", "token_algorithm"),
        *("token_method", "token_scope", "token_generator", "token_parser", "token_handler"),
        *("token_class", "token_table", "token_attempts", "token_history", "token_rotation"),
        *("token_updated", "secret_ref", "secret_arn", "token_timeout", "token_seconds"),
        *("token_callback", "token_event", "token_status", "token_budget", "token_price"),
        # what is before it
        *("max_token", "min_token", "num_token", "total_token", "is_token", "has_password"),
        *("can_token", "should_token", "use_token", "enable_token", "show_password"),
        *("hide_password", "forgot_password", "public_token", "foreign_token", "sort_token"),
        *("partition_secret", "cache_token", "map_token", "idempotency_token", "row_token"),
        *("no_password", "missing_token", "invalid_token", "wrong_password", "bad_password"),
        *("shortcut_token", "hot_token", "group_token", "per_token", "used_token"),
        *("completion_token", "output_token", "cached_token", "remaining_token"),
    ],
)
def test_a_name_of_something_about_a_secret_promises_nothing(name: str) -> None:
    assert words.promise_of(name) == words.NOTHING


@pytest.mark.parametrize(
    "value",
    [
        *("string", "varchar", "bytes", "number", "boolean", "object", "null", "undefined"),
        *("true", "unset", "blank", "optional", "missing", "invalid", "incorrect", "expired"),
        *("disabled", "hidden", "masked", "removed", "omitted", "encrypted", "unknown"),
        *("default", "sample", "fake", "foobar", "todo", "changeit", "change-me", "replaceme"),
        *("replace_me", "void", "never", "username", "admin", "email", "basic", "digest"),
        *("secretstr", "let", "return", "await", "lambda", "environ", "ask", "vault"),
        *("keyring", "credentials", "authorization", "private", "internal", "nan"),
    ],
)
def test_a_word_in_the_place_of_a_secret_is_none(value: str) -> None:
    assert words.is_placeholder(value)
    assert words.is_placeholder(value.upper())


@pytest.mark.parametrize(
    "value",
    [
        *("md5", "sha256", "sha-512", "bcrypt", "scrypt", "argon2id", "pbkdf2", "hs256", "rs512"),
        *("es256", "aes-256-gcm", "rsa-4096", "ed25519", "x509", "pkcs12", "base64", "utf-8"),
        *("oauth2", "http2", "ipv4", "python3.11", "hmac-sha256", "nodejs20", "java17", "k8s"),
        *("i18n", "auth0", "web3", "mysql8", "neo4j", "x-api2-key", "mytoken2"),
    ],
)
def test_the_name_of_a_technique_is_no_password(value: str) -> None:
    assert not words.is_spoken_password(value)
    assert not words.is_secret(value, words.PASSWORD, quoted=True)


def test_a_path_is_no_password() -> None:
    assert not words.is_secret("/srv/2024/app", words.PASSWORD, quoted=True)
    assert not words.is_spoken_password("/srv/2024/app")


@pytest.mark.parametrize("value", ["/hunter2", "/k3Jx9", "./123456", "~/Winter2023", r"C:\tiger7"])
def test_a_slash_makes_no_path_of_a_password(value: str) -> None:
    assert words.is_secret(value, words.PASSWORD, quoted=True)


def test_what_is_no_word_makes_no_path() -> None:
    assert words.is_secret("/srv/20x4k/app", words.PASSWORD, quoted=True)
    assert words.is_secret("tiger/2931", words.PASSWORD, quoted=True)


@pytest.mark.parametrize("value", ["/srv/app/2024", "10:30:45", "two k9! words", "aes-256-gcm"])
def test_a_path_a_number_several_words_and_a_technique_are_no_token(value: str) -> None:
    assert not words.is_secret(value, words.TOKEN, quoted=True)


def test_letters_with_digits_behind_an_account_are_its_password() -> None:
    assert words.is_human_password("tiger908")
    assert not words.is_human_password("tiger9")
    assert not words.is_human_password("utf8")


def test_the_mark_of_what_was_hidden_keeps_its_bracket() -> None:
    assert words.trimmed("[REDACTED:api_key].") == "[REDACTED:api_key]"
    assert words.trimmed("hunter2].") == "hunter2"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("correct horse battery staple", True),
        ("correct-horse-battery-staple", True),
        ("ab cd ef gh", True),
        ("a cd ef gh", False),
        ("correct horse battery", False),
    ],
)
def test_four_words_are_a_passphrase(value: str, expected: bool) -> None:
    assert words.is_passphrase(value) == expected


@pytest.mark.parametrize(
    ("name", "promise"),
    [
        # of several stems the last decides
        ("password_key", words.HINT),
        ("secret_of_key_token", words.TOKEN),
        # `pass` is a password behind a word, if nothing follows
        ("app_pass", words.PASSWORD),
        ("app_pass_prod", words.HINT),
        ("auth_user_pass", words.PASSWORD),
        ("pass_prod", words.HINT),
        # a word about the secret is harmless before the last stem, another behind it
        ("secret_cache_key", words.NOTHING),
        ("api_cache_key", words.NOTHING),
        ("token_id_secret", words.TOKEN),
        ("token_secret_id", words.NOTHING),
        # a password may be two words
        ("passWord", words.PASSWORD),
        ("PASS_WORD_PROD", words.PASSWORD),
        ("pass-phrase", words.PASSWORD),
        ("pass_wd", words.PASSWORD),
        ("passWordHash", words.NOTHING),
        ("pass_wordy", words.HINT),
        ("passwordless", words.NOTHING),
        # `key` is that of a word right before it
        ("secret key", words.TOKEN),
        ("openai_prod_key", words.HINT),
        ("openai_key_2", words.TOKEN),
        ("xkey", words.TOKEN),
        ("turkey", words.NOTHING),
    ],
)
def test_the_last_stem_of_a_name_and_what_is_around_it_decide(name: str, promise: int) -> None:
    assert words.promise_of(name) == promise


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("readIO", True),
        ("readIOFile", True),
        ("readIo", False),
        ("readURLs", False),
        ("userS", False),
        ("aBanana", True),
        ("kEy-box", False),
        ("page1", True),
        ("page12", False),
        ("2page", False),
        ("one.two/three four", True),
        ("one+two", False),
        ("one!", True),
        ("!one", True),
        (" ".join(["word"] * 16 + ["k3j9"]), True),
        (" ".join(["word"] * 15 + ["k3j9"]), False),
    ],
)
def test_words_have_three_letters_and_a_digit_at_most(value: str, expected: bool) -> None:
    assert words.is_wordy(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        # small and large letters and digits
        ("Tigerbananas2kiwi", True),
        ("tigerbananas2kiwi", False),
        ("TIGERBANANAS2KIWI", False),
        # a change between letters and digits at each sixth place
        ("1tigerbananas2kiwi", True),
        ("1tigerbananas2kiwis", False),
        ("k3j9x0aa11b2c3d4", True),
        ("K3J9X0AA11B2C3D4", True),
        # at least 16
        ("k3j9x0aa11b2c3d", False),
        # several words, an alphabet, a number, a UUID, an identifier
        ("Zq81xKp03RtYw7 a1bcd", False),
        ("AbcdefghQ1w2E3r4", False),
        ("4821482148214821", False),
        ("09901e6c-8aa0-487e-ac75-5E0066870c49", False),
        ("userSettingsVersion2", False),
    ],
)
def test_a_random_value_is_mixed_as_only_a_machine_does(value: str, expected: bool) -> None:
    assert words.is_random(value) == expected


def test_how_long_a_random_value_is_depends_on_what_is_near() -> None:
    assert words.is_random("aB3dE6fH9k", 10)
    assert not words.is_random("aB3dE6fH9k", 11)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("x9-ab", True),
        ("x9ab", False),
        ("tiger", False),
        ("TIGER", False),
        ("tigerBox", False),
        ("482913", False),  # nobody can tell it from a number
        ("tiger!box", True),
        ("bananA", True),
        ("user.name", False),
        ("Banana!", False),
        ("tiger908", True),
        ("test_example9", False),
        ("load9(", False),
        ("tiger9.py", False),
        ("sha256", False),
        ("/srv/app/v2", False),
    ],
)
def test_a_spoken_password_is_no_word_no_number_and_nothing_of_a_program(
    value: str, expected: bool
) -> None:
    assert words.is_spoken_password(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("tiger#29k", True),
        ("*tiger#29k*", True),
        ("t$iger9x", True),
        ("t9+x+y", True),
        ("tiger$29", True),
        ("tiger29$", True),
        ("t9+xxy", False),
        # emphasis is no sign of a password
        *[(f"{sign}tiger29{sign}", False) for sign in ("*", "**", "_", "~", "~~")],
        # nor are these in front, which programs write
        *[(f"{sign}iger#29", False) for sign in "$%&#@+=?-!^."],
        # a number of something, a version, an address
        *[(name + "#4567", False) for name in ("issue", "issues", "PR", "mr", "bug", "ticket")],
        *[(name + "#4567", False) for name in ("task", "build", "run", "case", "job", "gh")],
        *[(name + "!4567", False) for name in ("pull", "merge")],
        ("review#4567", True),
        ("react@18", False),
        ("react@18.2", False),
        ("user9@host", False),
        ("user9@10.1", False),
        # parameters of a URL
        ("k9!a=bc", False),
        ("k9!ab=", False),
        ("k9!=x&y=z", False),
        ("a=b9!cd", True),
        # letters, digits and a sign, all of them, in ASCII
        ("tiger!box", False),
        ("1234!567", False),
        ("tiger2931", False),
        ("tigér#29", False),
    ],
)
def test_a_strong_password_has_a_sign_where_only_a_password_has_one(
    value: str, expected: bool
) -> None:
    assert words.is_strong_password(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("tiger90", True),
        ("abc@90", True),
        ("abc_901234", True),
        ("abc90!", True),
        ("ab90!", False),
        ("abc9012345", False),
        ("tiger#29k", True),
        ("web3", False),
        ("sha256", False),
    ],
)
def test_what_people_make_up_for_an_account_is_a_word_and_digits(
    value: str, expected: bool
) -> None:
    assert words.is_human_password(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("hunter2", True),
        ("tiger908!", True),
        ("tiger908000", True),
        ("tiger9080001", False),
        ("tig9080", False),
        ("change_me1", False),
        ("token22", False),
    ],
)
def test_a_made_up_secret_is_four_letters_and_six_digits_at_most(
    value: str, expected: bool
) -> None:
    assert words.is_worded_secret(value) == expected


@pytest.mark.parametrize("after", ["", " ", "，", "。", "；", "！", "!", ". ", ".\n", "."])
def test_small_letters_at_the_end_of_a_clause_are_a_password(after: str) -> None:
    assert words.is_lone_password("banana", after)
    assert not words.is_lone_password("mango", after)


@pytest.mark.parametrize("after", ["x", " x", ".x", "?", ",", "="])
def test_small_letters_within_a_clause_are_a_word(after: str) -> None:
    assert not words.is_lone_password("banana", after)


@pytest.mark.parametrize(
    "value",
    [
        *("rotated", "missing", "mandation", "restrictive", "optimal", "monthly", "payment"),
        *("weakness", "frequent", "important", "longer", "vector", "automatic", "dangerous"),
        *("plaintext", "mandatory", "temporary", "careful", "useless", "twenty", "compact"),
        *("readable", "secrets", "frozen", "absence", "codeword", "codewords", "filename"),
        *("someone", "secure", "normalize", "normalise", "simplify", "somewhere", "anywhere"),
        *("yourself", "daytime", "birthday", "database", "adoptions"),
    ],
)
def test_a_word_that_describes_a_password_is_none(value: str) -> None:
    assert not words.is_lone_password(value, "")


@pytest.mark.parametrize(
    ("value", "promise", "quoted", "expected"),
    [
        # the shortest of each kind; a placeholder is none, however long
        ("ab1x", words.PASSWORD, True, True),
        ("ab1", words.PASSWORD, True, False),
        ("ab1-x2yz", words.TOKEN, True, True),
        ("ab1-x2y", words.TOKEN, True, False),
        ("aZ3k9Qx7Lm2pR5tV", words.HINT, True, True),
        ("aZ3k9Qx7Lm2pR5t", words.HINT, True, False),
        ("an-example-k3j9x0", words.PASSWORD, True, False),
        # a weak password is one in quotes only, with six letters
        ("banana", words.PASSWORD, True, True),
        ("banana", words.PASSWORD, False, False),
        ("mango", words.PASSWORD, True, False),
        ("Banana", words.PASSWORD, True, False),
        # digits are a password, not a token, in quotes or not
        ("4821", words.PASSWORD, False, True),
        ("4821", words.PASSWORD, True, True),
        ("48214821", words.TOKEN, False, False),
        ("48214821", words.TOKEN, True, False),
        # what a program writes is a literal in quotes only
        ("load_k9(x)", words.PASSWORD, True, True),
        ("load_k9(x)", words.PASSWORD, False, False),
        ("tiger-k9x.json", words.TOKEN, True, True),
        ("tiger-k9x.json", words.TOKEN, False, False),
        # numbers and paths
        ("10:30:45", words.PASSWORD, True, False),
        ("1.2.3-rc1", words.PASSWORD, True, False),
        ("srv/app/2024", words.PASSWORD, True, False),
        ("srv\\app\\2024", words.PASSWORD, True, False),
        ("srv\\app/2024", words.PASSWORD, True, False),
        ("srv/app2024", words.PASSWORD, True, True),
        ("a/" * 16 + "2024", words.PASSWORD, True, False),
        # the name of a technique has 40 letters at most
        ("a" * 36 + "key1", words.PASSWORD, True, False),
        ("a" * 37 + "key1", words.PASSWORD, True, True),
    ],
)
def test_what_a_name_promises_decides_what_is_its_secret(
    value: str, promise: int, quoted: bool, expected: bool
) -> None:
    assert words.is_secret(value, promise, quoted=quoted) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [("DB_PASS", True), ("D_B", True), ("db_pass", False), ("_DB", False), ("DB_", False)],
)
def test_a_constant_has_several_words_in_capitals(name: str, expected: bool) -> None:
    assert words.is_constant(name) == expected


@pytest.mark.parametrize("end", words.TRAILING)
def test_the_sign_that_ends_a_sentence_is_no_part_of_a_value(end: str) -> None:
    assert words.trimmed(f"fooX{end}") == "fooX"
    assert words.trimmed(f"{end}X{end}{end}") == f"{end}X"


@pytest.mark.parametrize(
    ("value", "expected"),
    [("11", True), ("1212", False), ("aa", True), ("abab", True), ("abcab", False)],
)
def test_a_placeholder_repeats_itself(value: str, expected: bool) -> None:
    assert words.is_placeholder(value) == expected


def test_a_slug_is_read_to_its_sixteenth_piece() -> None:
    assert words.is_slug("-".join(["word"] * 16 + ["k3j9"]))
    assert not words.is_slug("-".join(["word"] * 15 + ["k3j9"]))
    assert words.is_slug("-".join(["2024"] * 3 + ["word"]))
