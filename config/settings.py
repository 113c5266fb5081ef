"""All settings, read from the environment. `.env.example` documents every variable.

Without any variable, this is the embedded default: SQLite, a filesystem broker and all files in
the folder `var/`. `QRELSMITH_MODE=production` requires the secrets and turns on what a public
server needs.
"""

import contextlib
import os
import secrets
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from accounts.institution.configuration import read_logins
from accounts.mail.email_url import smtp_settings
from jobs.queues import JobQueue

BASE_DIR = Path(__file__).resolve().parent.parent
# Read from the source, because the installed package's metadata may be missing or old.
SOFTWARE_VERSION: str = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"][
    "version"
]


def _flag(name: str, default: bool) -> bool:
    value = os.environ.get(name, "").strip().lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    if value:
        raise ImproperlyConfigured(f"{name} must be 1 or 0, got {value!r}.")
    return default


def _words(name: str) -> list[str]:
    return [word.strip() for word in os.environ.get(name, "").split(",") if word.strip()]


def _number(name: str, default: int) -> int:
    value = os.environ.get(name, "").strip()
    if value and not value.isdigit():
        raise ImproperlyConfigured(f"{name} must be a whole number, got {value!r}.")
    return int(value) if value else default


MODE = os.environ.get("QRELSMITH_MODE", "local")
if MODE not in {"local", "production"}:
    raise ImproperlyConfigured(f"QRELSMITH_MODE must be local or production, got {MODE!r}.")
PRODUCTION = MODE == "production"

DATA_DIR = Path(os.environ.get("DATA_DIR", BASE_DIR / "var")).resolve()
ARTEFACT_DIR = DATA_DIR / "artefacts"
UPLOAD_DIR = DATA_DIR / "uploads"
RELEASE_DIR = DATA_DIR / "releases"


def _kept_secret() -> str:
    """A key that is created once and stored in the data folder. Production does not use it."""
    path = DATA_DIR / "secret_key"
    if not path.exists():
        DATA_DIR.mkdir(parents=True, exist_ok=True)
        descriptor, mine = tempfile.mkstemp(dir=DATA_DIR)  # readable by its owner only
        with os.fdopen(descriptor, "w") as file:
            file.write(secrets.token_urlsafe(64))
        # Web and worker may start at the same moment. The first complete key is used by both.
        with contextlib.suppress(FileExistsError):
            os.link(mine, path)
        Path(mine).unlink()
    return path.read_text()


SECRET_KEY = os.environ.get("SECRET_KEY", "")
if not SECRET_KEY:
    if PRODUCTION:
        raise ImproperlyConfigured("SECRET_KEY is missing. Set it to a long random text.")
    SECRET_KEY = _kept_secret()

# The text for people without an account, on the login page, on error pages and on public releases.
SERVER_NAME = os.environ.get("SERVER_NAME", "").strip() or "Qrelsmith"
SERVER_CONTACT = os.environ.get("SERVER_CONTACT", "").strip()
DEMO = _flag("QRELSMITH_DEMO", False)

DEBUG = _flag("DEBUG", False) and not PRODUCTION
LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = _words("ALLOWED_HOSTS") or ([] if PRODUCTION else LOCAL_HOSTS)
if PRODUCTION and not ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS is missing. Set it to the host names of this server.")
CSRF_TRUSTED_ORIGINS = _words("CSRF_TRUSTED_ORIGINS")
CSRF_FAILURE_VIEW = "web.requests.refusals.csrf_failure"

INSTALLED_APPS = [
    "accounts",  # its `changepassword` replaces that of the next
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.sessions",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.usersessions",
    "csp",
    "django_htmx",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "rest_framework",
    "web",
    "jobs",
    "corpus",
    "reports",
    "curation",
    "retrieval",
    "pooling",
    "rebuilding",
    "annotation",
    "adjudication",
    "notices",
    "agreement",
    "practice",
    "studies",
    "scoring",
    "planning",
    "evaluation",
    "release",
    "publishing",
    "csfcube",
    "benchmarks",
    "demo",
    "server",
    "backups",
    "dashboard",
]

MIDDLEWARE = [
    "server.probes.answer_probes",
    "server.requests.observe",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "web.requests.privacy.forbid_storing",
    "web.requests.text.check_text",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.actions.actors.remember_request",
    "web.requests.bodies.limit_body",
    "web.requests.text.check_form",
    "web.requests.login_required.LoginRequired",
    "accounts.passwords.RequireOwnPassword",
    "accounts.login.second_factors.RequireSecondFactor",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "web.requests.refused_forms.show_refused_again",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "loaders": [
                (
                    "web.template_loader.LoaderByLanguage",
                    [
                        "web.template_loader.Loader",
                        "django.template.loaders.app_directories.Loader",
                    ],
                )
            ],
            "builtins": ["django.templatetags.i18n"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "dashboard.navigation.context.navigation",
            ],
        },
    },
]

# SQLite takes its write lock when a transaction begins (IMMEDIATE), so writers queue up instead
# of failing halfway. WAL lets readers continue meanwhile.
DATABASE_IDLE_SECONDS = _number("DATABASE_IDLE_SECONDS", 60)
DATABASES = {
    "default": dj_database_url.config(
        default=f"sqlite:///{DATA_DIR / 'qrelsmith.sqlite3'}",
        conn_max_age=60,
        # A kept connection may have been dropped by a restart of the database or by a firewall.
        conn_health_checks=True,
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["ENGINE"] = "database.fair_sqlite"
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 30,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
    }
    DATABASES["default"]["TEST"] = {"NAME": str(DATA_DIR / f"test-{os.getpid()}.sqlite3")}
    DATA_DIR.mkdir(parents=True, exist_ok=True)
if DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    # A process that freezes in the middle of a transaction keeps its locks. A machine that loses
    # power never closes its connection. The database server ends both sessions.
    _session = {
        "application_name": "qrelsmith",  # database/stuck.py looks for it
        "idle_in_transaction_session_timeout": 1000 * DATABASE_IDLE_SECONDS,
        "jit": "off",  # it took half the time of reading the pairs of half a million judgments
        "tcp_keepalives_idle": 30,
        "tcp_keepalives_interval": 10,
        "tcp_keepalives_count": 3,
    }
    _options = DATABASES["default"].setdefault("OPTIONS", {})
    # PostgreSQL plans a statement that a connection repeats only once. Planning took half the
    # time of saving a judgment.
    _options.setdefault("server_side_binding", True)
    if _flag("DATABASE_POOLED", False):
        # Behind PgBouncer in transaction mode. It takes no options of a session: ADR 89.
        DATABASES["default"]["ENGINE"] = "database.pooled_postgresql"
        _options["prepare_threshold"] = None
        _options["application_name"] = _session["application_name"]
    else:
        _options.setdefault("prepare_threshold", 3)
        # The options of the URL come last, so they take precedence.
        _spelled = [f"-c {name}={value}" for name, value in _session.items()]
        _options["options"] = " ".join([*_spelled, _options.get("options", "")]).strip()
    # The same on the client side, for a database server that disappears.
    for _name, _value in (("idle", 30), ("interval", 10), ("count", 3)):
        _options.setdefault(f"keepalives_{_name}", _value)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "accounts.passwords.EndApiTokens"},
]
AUTHENTICATION_BACKENDS = ["accounts.login.limits.LimitedLoginBackend"]
SESSION_ENGINE = "accounts.login.logged_in"
# Accounts, second factors and sessions are django-allauth's (docs/adr/0074-allauth.md).
ACCOUNT_ADAPTER = "accounts.login.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_SIGNUP_ENABLED = False  # only an invitation makes an account
ACCOUNT_EMAIL_VERIFICATION = "none"  # accounts without an email log in, too
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = f"[{SERVER_NAME}] "
ACCOUNT_MAX_EMAIL_ADDRESSES = 5
ACCOUNT_REAUTHENTICATION_METHODS = ["password", "mfa"]
ACCOUNT_REAUTHENTICATION_REQUIRED = True  # to change an email
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_USER_DISPLAY = "accounts.login.adapter.shown_name"
ACCOUNT_RATE_LIMITS = {
    "login": None,  # accounts/login/limits.py counts passwords
    "login_failed": "5/5m/key",  # second factors, by the person whose password was right
    # Addresses of the institution's login. Each login takes two or three of these requests, and
    # the people of an institute may share one address.
    "institution": "120/m/ip",
}
ACCOUNT_FORMS = {
    "login": "accounts.login.forms.LoginForm",
    "reauthenticate": "accounts.login.forms.ConfirmPasswordForm",
    "change_password": "accounts.login.forms.NewPasswordForm",
    "add_email": "accounts.login.forms.NewEmailForm",
    "reset_password": "accounts.login.forms.RequestLinkForm",
    "reset_password_from_key": "accounts.login.forms.ForgottenPasswordForm",
    "user_token": "accounts.login.forms.MailedLinkForm",
}
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "accounts.login.mailed_links.MailedLinkTokens"
MFA_ADAPTER = "accounts.login.adapter.SecondFactorAdapter"
MFA_ALLOW_UNVERIFIED_EMAIL = True  # no stranger can sign up with the email of another person
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = SERVER_NAME
MFA_TOTP_TOLERANCE = 1  # clocks of telephones
MFA_RATE_LIMITS = {"webauthn_login": "60/m/ip"}  # people of one network share it
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not PRODUCTION  # http://localhost
MFA_FORMS = {
    "authenticate": "accounts.login.forms.CodeForm",
    "reauthenticate": "accounts.login.forms.ConfirmCodeForm",
    "activate_totp": "accounts.login.forms.ActivateAppForm",
    "add_webauthn": "accounts.login.forms.NewPasskeyForm",
    "edit_webauthn": "accounts.login.forms.RenamePasskeyForm",
}
USERSESSIONS_ADAPTER = "accounts.login.recorded_changes.SessionsAdapter"
# The institution's login (docs/adr/0083-institution-login.md). Providers are not apps here: their
# code and its packages are imported when the first login begins.
INSTITUTION_LOGINS = read_logins(os.environ)
SOCIALACCOUNT_ADAPTER = "accounts.institution.adapter.InstitutionAdapter"
SOCIALACCOUNT_EMAIL_VERIFICATION = "none"
SOCIALACCOUNT_STORE_TOKENS = False
SECOND_FACTOR_REQUIRED = _flag("SECOND_FACTOR_REQUIRED", False)
INVITATION_DAYS = _number("INVITATION_DAYS", 14)
LOGIN_TRIES_PER_NAME = _number("LOGIN_TRIES_PER_NAME", 5)
LOGIN_TRIES_PER_ADDRESS = _number("LOGIN_TRIES_PER_ADDRESS", 30)
LOGIN_WAIT_SECONDS = _number("LOGIN_WAIT_SECONDS", 300)
DOWNLOADS_PER_ADDRESS = _number("DOWNLOADS_PER_ADDRESS", 60)
ERRATA_PER_ADDRESS = _number("ERRATA_PER_ADDRESS", 10)
# The number of proxies in front. As many addresses at the end of X-Forwarded-For are trusted.
TRUSTED_PROXIES = _number("TRUSTED_PROXIES", 0)
# For so many days, the record of actions keeps addresses. 0 records none.
ACTION_ADDRESS_DAYS = _number("ACTION_ADDRESS_DAYS", 90)
SESSION_COOKIE_AGE = _number("SESSION_DAYS", 14) * 24 * 60 * 60
# For so many days after their end, personal data are kept.
ENDED_TOKEN_DAYS = _number("ENDED_TOKEN_DAYS", 90)
UNUSED_INVITATION_DAYS = _number("UNUSED_INVITATION_DAYS", 30)
MAIL_FILE_DAYS = _number("MAIL_FILE_DAYS", 30)
# What the privacy page says of logs and backups, which other programs remove. 0 if it is not known.
LOG_DAYS = _number("LOG_DAYS", 0)
BACKUP_DAYS = _number("BACKUP_DAYS", 0)
if os.environ.get("REDIS_URL"):
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    CACHES: dict[str, Any] = {
        "default": {
            "BACKEND": "accounts.login.redis_cache.LenientRedisCache",
            "LOCATION": os.environ["REDIS_URL"],
            "KEY_PREFIX": "qrelsmith",
            # A login waits for an unreachable Redis this long at most, then continues without it.
            "OPTIONS": {
                "socket_connect_timeout": 1,
                "socket_timeout": 1,
                "retry": Retry(NoBackoff(), retries=0),
            },
        }
    }
else:
    # Each web process counts alone. Django's default of 300 entries would drop counts.
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
            "OPTIONS": {"MAX_ENTRIES": 100_000},
        }
    }

# Mail. Without EMAIL_URL, mails are files in DATA_DIR. A production server then sends none.
MAIL_DIR = DATA_DIR / "mails"
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL", "").strip() or "qrelsmith@localhost"
SERVER_EMAIL = DEFAULT_FROM_EMAIL
if _email_url := os.environ.get("EMAIL_URL", "").strip():
    EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    globals().update(smtp_settings(_email_url))
else:
    EMAIL_BACKEND = "accounts.mail.files.FileBackend"
SENDS_MAIL = bool(_email_url) or not PRODUCTION
SHOWS_MAILS = not _email_url and not PRODUCTION  # on a page for staff
# The address that people use. `manage.py doctor` asks it for its TLS headers.
SERVER_URL = os.environ.get("SERVER_URL", "").strip().rstrip("/")
# Commands write links with it. Pages use the address of their request.
LINK_BASE = SERVER_URL or (
    f"https://{ALLOWED_HOSTS[0].lstrip('.')}"
    if PRODUCTION
    else f"http://localhost:{os.environ.get('PORT', '8000')}"
)

LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en-gb"
USE_I18N = True
# docs/languages.md shows how to add one. Templates are translated when they are loaded, because to
# look up each text took a tenth of a page's time (ADR 81).
LANGUAGES = [("en-gb", "English"), ("de", "Deutsch"), ("es", "Español")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = Path(os.environ.get("STATIC_ROOT") or BASE_DIR / "staticfiles")
STORAGES: dict[str, dict[str, Any]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}
# Uploads and releases of machines that share no folder: web/stored_files.py.
FILES_BUCKET = os.environ.get("FILES_BUCKET", "")
if FILES_BUCKET:
    from botocore.config import Config  # of the extra `server`

    _endpoint = os.environ.get("FILES_ENDPOINT") or None  # without one, Amazon's
    STORAGES["shared"] = {
        "BACKEND": "storages.backends.s3.S3Storage",
        "OPTIONS": {
            "bucket_name": FILES_BUCKET,
            "endpoint_url": _endpoint,
            "location": os.environ.get("FILES_PREFIX", ""),
            "default_acl": None,
            "client_config": Config(
                s3={"addressing_style": "path" if _endpoint else "auto"},
                signature_version="s3v4",
                connect_timeout=3,  # a page waits for it
                read_timeout=30,
                retries={"max_attempts": 2},
            ),
        },
    }
WHITENOISE_USE_FINDERS = not PRODUCTION
MEDIA_ROOT = UPLOAD_DIR
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
# The largest request, for people who are logged in and for others.
MAX_UPLOAD_BYTES = _number("MAX_UPLOAD_MB", 10_240) * 1024 * 1024
ANONYMOUS_BODY_BYTES = 64 * 1024
# Uploads in progress are stored beside the finished ones, because /tmp may be small.
FILE_UPLOAD_TEMP_DIR = DATA_DIR / "incoming"
with contextlib.suppress(OSError):  # Django's system check reports a missing folder
    FILE_UPLOAD_TEMP_DIR.mkdir(parents=True, exist_ok=True)

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"
if PRODUCTION:
    SECURE_SSL_REDIRECT = _flag("SECURE_SSL_REDIRECT", True)
    SECURE_HSTS_SECONDS = _number("SECURE_HSTS_SECONDS", 31_536_000)
    # Off by default: a university's server must not decide for the other hosts of its domain.
    SECURE_HSTS_INCLUDE_SUBDOMAINS = _flag("SECURE_HSTS_INCLUDE_SUBDOMAINS", False)
    SECURE_HSTS_PRELOAD = _flag("SECURE_HSTS_PRELOAD", False)
    SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]  # about these two
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    if _flag("BEHIND_PROXY", False):
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

CELERY_BROKER_URL = (
    os.environ.get("CELERY_BROKER_URL") or os.environ.get("REDIS_URL") or "filesystem://localhost"
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker waits through any outage of the broker
CELERY_TASK_DEFAULT_QUEUE = _queue = os.environ.get("CELERY_QUEUE", "qrelsmith")
CELERY_TASK_QUEUES: dict[str, dict[str, Any]] = {each.name_in(_queue): {} for each in JobQueue}
# A worker with a long job must not reserve messages that another worker could take.
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# A page waits for the broker at most this long. The reconciler sends rejected messages again.
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {"max_retries": 0, "socket_connect_timeout": 2}
if CELERY_BROKER_URL.startswith("filesystem:"):
    _spool = DATA_DIR / "broker"
    CELERY_BROKER_TRANSPORT = "jobs.filesystem_broker:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        # One folder for both directions: senders and receivers share it.
        "data_folder_in": str(_spool / "messages"),
        "data_folder_out": str(_spool / "messages"),
        "control_folder": str(_spool / "control"),
        "polling_interval": 0.2,
    }
    # A process pool must not be used here: its idle children wait in turn for a lock in shared
    # memory, and a child that is killed while it holds the lock stops the others permanently. Jobs
    # run in threads instead, so the worker is a single process that its supervisor can start again.
    # One of the two is never taken by a long job: `jobs.workers.slots`.
    CELERY_WORKER_POOL = "threads"
    CELERY_WORKER_CONCURRENCY = 2
    for _folder in ("messages", "control"):
        (_spool / _folder).mkdir(parents=True, exist_ok=True)

JOB_HEARTBEAT_SECONDS = _number("JOB_HEARTBEAT_SECONDS", 3)
JOB_STALE_SECONDS = _number("JOB_STALE_SECONDS", 20)
JOB_TICK_SECONDS = _number("JOB_TICK_SECONDS", 3)
JOB_STOP_SECONDS = _number("JOB_STOP_SECONDS", 4)
IMPORT_LIMIT_MB = _number("IMPORT_LIMIT_MB", 16_384)
IMPORT_MEMORY_MB = _number("IMPORT_MEMORY_MB", 2_048)
IMPORT_SECONDS = _number("IMPORT_SECONDS", 14_400)
WORKER_PULSE_FILE = os.environ.get("WORKER_PULSE_FILE", "")

# The sentence encoders that may be named in the browser and the API; a model is a folder or a name.
ENCODERS = _words("ENCODERS")
# The addresses of models that admins may ask; see evaluation/shadow_judges/asking/addresses.py.
MODEL_ADDRESSES = _words("MODEL_ADDRESSES")

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.tokens.authentication.ApiTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "accounts.passwords.HasOwnPassword",
        "accounts.tokens.authentication.WithinScope",
        "accounts.login.second_factors.HasSecondFactor",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PAGINATION_CLASS": "web.api.pagination.Pages",
    "PAGE_SIZE": 100,
    "DEFAULT_SCHEMA_CLASS": "accounts.tokens.openapi.ScopedSchema",
    "EXCEPTION_HANDLER": "web.api.errors.answer",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Qrelsmith",
    "DESCRIPTION": "Build information-retrieval test collections.",
    "VERSION": "1",
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    # Deep links would be links inside buttons, which screen readers cannot reach.
    "SWAGGER_UI_SETTINGS": {"deepLinking": False},
    "REDOC_DIST": "SIDECAR",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "ENUM_NAME_OVERRIDES": {
        "RoleEnum": "accounts.models.Role",
        "MetricEnum": "retrieval.retrievers.dense.METRICS",
        "NoticeKindEnum": "notices.models.NoticeKind",
        "RequirementEnum": "pooling.services.plans.ONLY",
    },
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "web.api.docs.complete",
    ],
}

# Production writes no personal data to its log: see web/logs/formatters.py and docs/observing.md.
LOG_LEVEL = os.environ.get("LOG_LEVEL", "WARNING").upper()
LOG_FORMAT = os.environ.get("LOG_FORMAT", "") or ("json" if PRODUCTION else "line")
if LOG_FORMAT not in {"json", "line"}:
    raise ImproperlyConfigured(f"LOG_FORMAT must be json or line, got {LOG_FORMAT!r}.")
LOG_REQUESTS = _flag("LOG_REQUESTS", PRODUCTION)
_guarded = PRODUCTION or LOG_FORMAT == "json"
_formatter: dict[str, Any] = (
    {"()": "web.logs.formatters.JsonLines"}
    if LOG_FORMAT == "json"
    else {"()": "web.logs.formatters.TextLines", "guarded": _guarded}
)
_rooms = ["database", "bundle", "accounts", *INSTALLED_APPS[INSTALLED_APPS.index("web") :]]
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": _formatter},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "loggers": {
        **{room: {"level": LOG_LEVEL} for room in _rooms},
        "server.access": {"level": "INFO" if LOG_REQUESTS else "WARNING"},
        **({"django.server": {"handlers": [], "propagate": False}} if _guarded else {}),
    },
    # Packages of others write rows, addresses and prompts below WARNING.
    "root": {
        "handlers": ["stderr"],
        "level": "WARNING" if _guarded and LOG_LEVEL in {"DEBUG", "INFO"} else LOG_LEVEL,
    },
}

# Metrics are off without either; see server/metrics/access.py.
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")
METRICS_ADDRESSES = _words("METRICS_ADDRESSES")
SENTRY_DSN = os.environ.get("SENTRY_DSN", "")
