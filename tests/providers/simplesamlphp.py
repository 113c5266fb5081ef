"""The settings of a simpleSAMLphp in a folder, with two people who can log in."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.saml_provider import MAIL, SUBJECT_ID, Signer

PHP_MODULES = "/usr/lib/php/20220829"
PASSWORD = "only for this check"
USERS = ("mara", "eve")


def write_settings(
    folder: Path, *, packages: Path, address: str, server: str, encrypts_for: str = ""
) -> None:
    """Write all that `SIMPLESAMLPHP_CONFIG_DIR=folder` needs, for a server as service provider.

    With the certificate `encrypts_for`, assertions are encrypted for the server.
    """
    for name in ("metadata", "certificates", "log", "data", "temporary", "sessions"):
        (folder / name).mkdir(parents=True)
    signer = Signer()
    (folder / "certificates/idp.crt").write_text(signer.certificate)
    (folder / "certificates/idp.pem").write_text(signer.private_key)
    defaults = (packages / "etc/simplesamlphp/config.php").read_text()
    # Of the file that the package's installation would write.
    lines = [line for line in defaults.splitlines() if "secrets.inc.php" not in line]
    (folder / "defaults.php").write_text("\n".join(lines))
    (folder / "config.php").write_text(
        f"""<?php
require '{folder}/defaults.php';
$config = array_merge($config, [
    'baseurlpath' => '{address}/',
    'certdir' => '{folder}/certificates/',
    'loggingdir' => '{folder}/log/',
    'datadir' => '{folder}/data/',
    'tempdir' => '{folder}/temporary',
    'metadatadir' => '{folder}/metadata/',
    'metadata.sources' => [['type' => 'flatfile', 'directory' => '{folder}/metadata']],
    'attributenamemapdir' => '{packages}/etc/simplesamlphp/attributemap/',
    'secretsalt' => 'a salt that is only for this check',
    'auth.adminpassword' => '{PASSWORD}',
    'enable.saml20-idp' => true,
    'module.enable' => ['exampleauth' => true, 'core' => true, 'saml' => true],
    'session.cookie.secure' => false,
    'session.cookie.samesite' => 'Lax',  // browsers want TLS for 'None'
    'session.phpsession.savepath' => '{folder}/sessions',
    'logging.handler' => 'errorlog',
    'store.type' => 'phpsession',
]);
"""
    )
    users = "".join(
        f"'{user}:{PASSWORD}' => ['{SUBJECT_ID}' => ['{user}@uni.example'], "
        f"'{MAIL}' => ['{user}@uni.example'], 'displayName' => ['Person {user}']],\n"
        for user in USERS
    )
    (folder / "authsources.php").write_text(
        f"<?php\n$config = ['people' => ['exampleauth:UserPass',\n{users}]];\n"
    )
    (folder / "metadata/saml20-idp-hosted.php").write_text(
        "<?php\n$metadata['__DYNAMIC:1__'] = ['host' => '__DEFAULT__', 'privatekey' => 'idp.pem', "
        "'certificate' => 'idp.crt', 'auth' => 'people'];\n"
    )
    base = f"{server}/accounts/institution/saml"
    encryption = ""
    if encrypts_for:
        certificate = re.sub(r"-----[A-Z ]+-----|\s", "", encrypts_for)
        encryption = (
            ", 'assertion.encryption' => true, 'keys' => [['type' => 'X509Certificate', "
            f"'encryption' => true, 'signing' => false, 'X509Certificate' => '{certificate}']]"
        )
    (folder / "metadata/saml20-sp-remote.php").write_text(
        f"<?php\n$metadata['{base}/metadata/'] = "
        f"['AssertionConsumerService' => '{base}/acs/'{encryption}];\n"
    )


def command(packages: Path, host: str) -> list[str]:
    """PHP's own web server. `-n`: without the settings of a PHP that is installed."""
    modules = ("dom", "mbstring", "xml", "xmlreader", "xmlwriter", "simplexml", "posix", "ctype")
    needed = [*modules, "tokenizer"]
    options = [f"--define=extension={module}" for module in needed]
    www = packages / "usr/share/simplesamlphp/www"
    return [
        *(str(packages / "usr/bin/php8.2"), "-n"),
        f"--define=extension_dir={packages}{PHP_MODULES}",
        *options,
        *("-S", host, "-t", str(www)),
    ]
