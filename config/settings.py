"""All settings. Every variable read from the environment stands in `deploy/env.example`.

Without any variable this is the embedded set-up: an SQLite file, a folder as message broker, everything in
`var/`. MODE=production asks for the secrets and turns on what a public server needs.
"""

from __future__ import annotations

import os
import secrets
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent
environ.Env.read_env(BASE_DIR / ".env")

VERSION = "1.0.dev0"
MODE = env("MODE", default="local")
if MODE not in {"local", "demo", "production"}:
    raise ImproperlyConfigured(f"MODE must be local, demo or production, got {MODE!r}.")
PRODUCTION = MODE == "production"
DEMO = MODE == "demo"
DEBUG = env.bool("DEBUG", default=False) and not PRODUCTION

DATA_DIR = Path(env("DATA_DIR", default=str(BASE_DIR / "var"))).resolve()
DATA_DIR.mkdir(parents=True, exist_ok=True)


def kept_secret() -> str:
    """A key made once and kept in the data folder, readable by its owner only."""
    path = DATA_DIR / "secret_key"
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(64))
    except FileExistsError:
        pass
    return path.read_text()


SECRET_KEY = env("SECRET_KEY", default="")
if not SECRET_KEY:
    if PRODUCTION:
        raise ImproperlyConfigured("SECRET_KEY is missing. Set it to a long random text.")
    SECRET_KEY = kept_secret()

ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[] if PRODUCTION else ["localhost", "127.0.0.1", "[::1]"])
if PRODUCTION and not ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS is missing. Set it to the host names of this server.")
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
SITE_URL = env("SITE_URL", default=f"https://{ALLOWED_HOSTS[0]}" if PRODUCTION else "").rstrip("/")
if PRODUCTION:
    ALLOWED_HOSTS.append("127.0.0.1")  # health checks of this machine; links in mails have SITE_URL

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django.forms",
    "accounts",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "csp",
    "django_htmx",
    "drf_spectacular",
    "heroicons",
    "knox",
    "rest_framework",
    "web",
    "jobs",
    "corpus",
    "retrieval",
    "pooling",
    "annotation",
    "adjudication",
    "agreement",
    "evaluation",
    "release",
    "dashboard",
    "demo",
]

MIDDLEWARE = [
    "web.logs.RequestLog",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "web.middleware.PrivateAnswers",
    "web.middleware.PlainErrors",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": [
                "django.contrib.humanize.templatetags.humanize",
                "django.templatetags.static",
                "heroicons.templatetags.heroicons",
                "web.templatetags.ui",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dashboard.navigation.navigation",
            ],
        },
    },
]
FORM_RENDERER = "web.forms.FormRenderer"

# SQLite takes its write lock when a transaction begins, so writers queue up instead of failing halfway; with
# a write-ahead log, readers go on meanwhile.
DATABASES = {"default": env.db("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'qrelsmith.sqlite3'}")}
DATABASES["default"] |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"] |= {
        "ENGINE": "web.sqlite",
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 30,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
        "TEST": {"NAME": str(DATA_DIR / f"test-{os.getpid()}.sqlite3")},
    }
else:
    DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)  # seconds
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# Accounts are made by invitations and by `manage.py createsuperuser`; everything else is stock allauth.
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_REDIRECT_URL = "home"
LOGIN_URL = "account_login"
ACCOUNT_ADAPTER = "accounts.adapter.InvitedOnly"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_FORMS = {"login": "accounts.forms.LoginForm"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # before a log-in changes: an open session is not enough
ACCOUNT_EMAIL_SUBJECT_PREFIX = "[Qrelsmith] "
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
MFA_SUPPORTED_TYPES = ["webauthn", "totp", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_ALLOW_UNVERIFIED_EMAIL = True  # a lab may run without mail; who has an account was invited
MFA_TOTP_ISSUER = "Qrelsmith"
MFA_TOTP_TOLERANCE = 1  # the code before and after count, too: phones are slow and people slower
MFA_FORMS = {"add_webauthn": "accounts.forms.KeyForm"}

# One provider of OpenID Connect. It sends people back to /accounts/oidc/sso/login/callback/.
SOCIALACCOUNT_ADAPTER = "accounts.adapter.ConfirmedOrInvited"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_PROVIDERS = {}
OIDC_ORIGINS = []  # of the log-in's redirect, which Chromium counts as the target of its form
if OIDC_SERVER_URL := env("OIDC_SERVER_URL", default=""):
    if PRODUCTION and not OIDC_SERVER_URL.startswith("https://"):
        raise ImproperlyConfigured(f"OIDC_SERVER_URL must begin with https://, got {OIDC_SERVER_URL!r}.")
    OIDC_ORIGINS.append("{0.scheme}://{0.netloc}".format(urlsplit(OIDC_SERVER_URL)))
    SOCIALACCOUNT_PROVIDERS["openid_connect"] = {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "sso",
                "name": env("OIDC_NAME", default="single sign-on"),
                "client_id": env("OIDC_CLIENT_ID"),
                "secret": env("OIDC_SECRET"),
                "settings": {"server_url": OIDC_SERVER_URL},
            }
        ],
    }
# Log-in attempts are counted in the cache, so all web processes must share it.
CACHES = {
    "default": env.cache("CACHE_URL", default=f"filecache://{DATA_DIR / 'cache'}"),
}
if "redis" in CACHES["default"]["BACKEND"]:  # without it people work on, with their sessions from the database
    CACHES["default"]["OPTIONS"] = {"socket_connect_timeout": 2, "socket_timeout": 2}

LANGUAGE_CODE = "en"
USE_I18N = False
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = env("STATIC_ROOT", default=str(DATA_DIR / "static"))
Path(STATIC_ROOT).mkdir(parents=True, exist_ok=True)  # WhiteNoise warns of a folder that is not there


def package_files(package: str) -> Path:
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "files"


STATICFILES_DIRS = [
    ("fonts", package_files("fontpkg_inter")),
    ("fonts", package_files("fontpkg_source_serif_4")),
]
MEDIA_ROOT = DATA_DIR / "files"
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
if bucket := env("S3_BUCKET", default=""):
    STORAGES["default"] = {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": bucket,
            "endpoint_url": env("S3_ENDPOINT", default=None),
            "file_overwrite": False,
            "max_memory_size": 10_000_000,  # bytes of a file that is read; more goes to FILE_UPLOAD_TEMP_DIR
        },
    }
WHITENOISE_USE_FINDERS = not PRODUCTION
FILE_UPLOAD_TEMP_DIR = DATA_DIR / "uploading"
FILE_UPLOAD_TEMP_DIR.mkdir(exist_ok=True)
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000  # bytes of a form without its files
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000
UPLOAD_MAX_BYTES = env.int("UPLOAD_MAX_MB", default=2_000) * 1_000_000  # of a file, unpacked too

# Models that admins may ask for labels: name=url, … (evaluation/asking.py). A key is in MODEL_KEY_<NAME>, never here.
MODEL_ADDRESSES = env.list("MODEL_ADDRESSES", default=[])

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "base-uri": [NONE],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF, *OIDC_ORIGINS],
        "frame-ancestors": [NONE],
        "img-src": [SELF, "data:"],
        "script-src": [SELF],
        "style-src": [SELF],
    }
}
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_AGE = 14 * 24 * 3600
SESSION_ENGINE = "django.contrib.sessions.backends.cached_db"
SECURE_REFERRER_POLICY = "same-origin"
if PRODUCTION:
    SECURE_SSL_REDIRECT = env.bool("SSL_REDIRECT", default=True)
    SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
    SECURE_HSTS_SECONDS = env.int("HSTS_SECONDS", default=365 * 24 * 3600)
    SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    if env.bool("BEHIND_PROXY", default=False):
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
        ALLAUTH_TRUSTED_PROXY_COUNT = 1  # log-in attempts are counted by the address that the proxy saw

EMAIL_CONFIG = env.email_url("EMAIL_URL", default="consolemail://")
vars().update(EMAIL_CONFIG)
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env("DEFAULT_FROM_EMAIL", default="qrelsmith@localhost")

# The broker only says that a job waits; what a job is and how far it has come is a row (jobs/models.py).
BROKER_DIR = DATA_DIR / "broker"
CELERY_BROKER_URL = env("BROKER_URL", default="filesystem://")
if CELERY_BROKER_URL == "filesystem://":
    CELERY_BROKER_URL = "folder://localhost"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(BROKER_DIR / "queue"),
        "data_folder_out": str(BROKER_DIR / "queue"),
        "control_folder": str(BROKER_DIR / "control"),
    }
    for _folder in ("queue", "control"):
        (BROKER_DIR / _folder).mkdir(parents=True, exist_ok=True)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_SEND_TASK_EVENTS = False

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "knox.auth.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "web.errors.api_exception_handler",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Qrelsmith",
    "VERSION": VERSION,
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enums", "api.base.with_errors"],
}
KNOX_TOKEN_MODEL = "accounts.Token"
MIGRATION_MODULES = {"knox": None}  # they make a table of its own, which nobody would use

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "web.logs.JsonLines"},
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "json" if PRODUCTION else "line"}},
    "loggers": {
        "django.request": {"level": "ERROR"},  # web.logs has a line for every request
        "django.security.DisallowedHost": {"level": "CRITICAL"},  # scanners; each with a trace
        "gunicorn.error": {"level": "INFO", "propagate": True},
    },
    "root": {"handlers": ["console"], "level": env("LOG_LEVEL", default="INFO" if PRODUCTION else "WARNING")},
}
