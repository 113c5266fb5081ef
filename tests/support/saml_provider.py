"""A SAML provider without a network: its metadata are a file, its responses are made by hand."""

from __future__ import annotations

import base64
import re
import uuid
import zlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import xmlsec
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509.oid import NameOID
from lxml import etree
from onelogin.saml2.utils import OneLogin_Saml2_Utils

from accounts.institution.configuration import SAML, InstitutionLogin
from tests.support.oidc_provider import a_key

ISSUER, SSO = "https://idp.uni.example/metadata", "https://idp.uni.example/sso"
SUBJECT_ID = "urn:oasis:names:tc:SAML:attribute:subject-id"
MAIL = "urn:oid:0.9.2342.19200300.100.1.3"
MARA = {SUBJECT_ID: "248289@uni.example", MAIL: "mara@uni.example", "displayName": "Mara Lind"}
SAML_NAMES = (
    'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" '
    'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"'
)


class Signer:
    def __init__(self) -> None:
        key = a_key()
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "idp.uni.example")])
        now = datetime.now(UTC)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(name)
            .public_key(key.public_key())
            .serial_number(1)
            .not_valid_before(now - timedelta(days=1))
            .not_valid_after(now + timedelta(days=1))
            .sign(key, hashes.SHA256())
        )
        self.certificate = certificate.public_bytes(serialization.Encoding.PEM).decode()
        self.private_key = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ).decode()

    def sign(self, xml: str) -> str:
        return OneLogin_Saml2_Utils.add_sign(xml, self.private_key, self.certificate).decode()


def encrypt(assertion: str, certificate: str) -> str:
    """The assertion with AES-256, whose key is encrypted with RSA-OAEP for the certificate."""
    root = etree.fromstring(
        f"<saml:EncryptedAssertion {SAML_NAMES}>{assertion}</saml:EncryptedAssertion>"
    )
    data = xmlsec.template.encrypted_data_create(
        root, xmlsec.Transform.AES256, type=xmlsec.EncryptionType.ELEMENT, ns="xenc"
    )
    xmlsec.template.encrypted_data_ensure_cipher_value(data)
    info = xmlsec.template.encrypted_data_ensure_key_info(data, ns="dsig")
    key = xmlsec.template.add_encrypted_key(info, xmlsec.Transform.RSA_OAEP)
    xmlsec.template.encrypted_data_ensure_cipher_value(key)
    manager = xmlsec.KeysManager()
    manager.add_key(xmlsec.Key.from_memory(certificate, xmlsec.KeyFormat.CERT_PEM, None))
    context = xmlsec.EncryptionContext(manager)
    context.key = xmlsec.Key.generate(xmlsec.KeyData.AES, 256, xmlsec.KeyDataType.SESSION)
    context.encrypt_xml(data, root[0])
    return etree.tostring(root).decode()


@dataclass
class SamlProvider:
    """`person` logs in. The rest are lies about the response."""

    person: dict[str, Any] = field(default_factory=lambda: dict(MARA))
    signs: str = "assertion"  # or "response", or ""
    signer: Signer | None = None
    issuer: str = ISSUER
    audience: str = ""
    destination: str = ""
    minutes: int = 5  # until it ends
    in_response_to: str | None = None
    changed: tuple[str, str] = ("", "")  # after it was signed
    encrypts_for: str = ""  # a certificate
    own: Signer = field(default_factory=Signer)

    def login(self, folder: Path, **changes: Any) -> InstitutionLogin:
        certificate = re.sub(r"-----[A-Z ]+-----|\s", "", self.own.certificate)
        metadata = folder / "metadata.xml"
        metadata.write_text(
            '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" '
            f'entityID="{ISSUER}"><md:IDPSSODescriptor '
            'protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">'
            '<md:KeyDescriptor use="signing"><ds:KeyInfo '
            'xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>'
            f"{certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>"
            '<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" '
            f'Location="{SSO}"/></md:IDPSSODescriptor></md:EntityDescriptor>'
        )
        values = {"key": SAML, "name": "Uni Example", "source": metadata.as_uri()}
        return InstitutionLogin(**{**values, "emails_are_verified": True, **changes})

    def respond(self, address: str) -> str:
        """The value of SAMLResponse that the browser posts, for the address it was led to."""
        assert address.startswith(SSO)
        (encoded,) = parse_qs(urlsplit(address).query)["SAMLRequest"]
        request = zlib.decompress(base64.b64decode(encoded), -15).decode()
        (request_id,) = re.findall(r'\bID="([^"]+)"', request)
        (acs,) = re.findall(r'AssertionConsumerServiceURL="([^"]+)"', request)
        (entity,) = re.findall(r"<saml:Issuer>([^<]+)<", request)
        return self._response(acs, entity, request_id)

    def _response(self, acs: str, entity: str, request_id: str) -> str:
        now = datetime.now(UTC)
        at, begins, ends = (
            (now + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")
            for minutes in (0, -10, self.minutes)
        )
        target = self.destination or acs
        asked = request_id if self.in_response_to is None else self.in_response_to
        answers = f'InResponseTo="{asked}"' if asked else ""
        signer = self.signer or self.own
        assertion = (
            f'<saml:Assertion {SAML_NAMES} ID="_{uuid.uuid4().hex}" Version="2.0" '
            f'IssueInstant="{at}"><saml:Issuer>{self.issuer}</saml:Issuer><saml:Subject>'
            '<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">'
            f"_{uuid.uuid4().hex}</saml:NameID><saml:SubjectConfirmation "
            'Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData '
            f'NotOnOrAfter="{ends}" Recipient="{target}" {answers}/></saml:SubjectConfirmation>'
            f'</saml:Subject><saml:Conditions NotBefore="{begins}" NotOnOrAfter="{ends}">'
            f"<saml:AudienceRestriction><saml:Audience>{self.audience or entity}</saml:Audience>"
            f"</saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement "
            f'AuthnInstant="{at}" SessionIndex="_1"><saml:AuthnContext><saml:AuthnContextClassRef>'
            "urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>"
            "</saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>"
            f"{self._attributes()}</saml:AttributeStatement></saml:Assertion>"
        )
        if self.signs == "assertion":
            assertion = signer.sign(assertion)
        if self.encrypts_for:
            assertion = encrypt(assertion.replace(*self.changed), self.encrypts_for)
        response = (
            f'<samlp:Response {SAML_NAMES} ID="_{uuid.uuid4().hex}" Version="2.0" '
            f'IssueInstant="{at}" Destination="{target}" {answers}>'
            f"<saml:Issuer>{self.issuer}</saml:Issuer><samlp:Status><samlp:StatusCode "
            'Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>'
            f"{assertion}</samlp:Response>"
        )
        if self.signs == "response":
            response = signer.sign(response)
        return base64.b64encode(response.replace(*self.changed).encode()).decode()

    def _attributes(self) -> str:
        return "".join(
            f'<saml:Attribute Name="{name}"><saml:AttributeValue>{value}</saml:AttributeValue>'
            "</saml:Attribute>"
            for name, value in self.person.items()
        )
