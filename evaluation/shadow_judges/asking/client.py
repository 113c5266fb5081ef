"""Requests to a server that speaks OpenAI's chat protocol, and what became of each.

Requests run in an event loop in a thread of its own. So any number is on its way at once, and all
end at once when the work is cancelled.
"""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple, Self

from evaluation.shadow_judges.asking.addresses import without_key
from evaluation.shadow_judges.asking.answers import ChatCompletion, read_completion, storable
from evaluation.shadow_judges.asking.prompts import Prompt

# What is sent beside the body. The openai client adds the machine's system and headers that the
# environment may have for another server; none of them is this server's business.
SENT_HEADERS = {
    "accept",
    "accept-encoding",
    "connection",
    "content-length",
    "content-type",
    "host",
    "user-agent",
    "x-stainless-raw-response",  # by which the client knows that the body is to stay as it came
}
NO_KEY = "none"  # the client insists on a key; the header is removed
LONGEST_MESSAGE = 500
BUSY, LATER = 429, 408  # the statuses below 500 after which the same request may succeed
# The statuses that are about one request, such as a text that is too long. 404 is an unknown model.
OF_THE_REQUEST = (400, 413, 415, 422)


class Reply(NamedTuple):
    """A chat completion, and the seconds that the server took."""

    completion: ChatCompletion
    seconds: float


class Refusal(NamedTuple):
    """The server does not answer this request, also not later; `body` is what it says."""

    body: str
    seconds: float


class Nonsense(NamedTuple):
    """A body that is not a chat completion."""

    body: str
    seconds: float


class LostAnswer(NamedTuple):
    """No answer, but another attempt may get one.

    `wait` are the seconds that the server asks for, if it does. The server may have made an answer
    that was lost, so `may_cost` says if the request counts against the budget.
    """

    reason: str
    wait: float | None
    may_cost: bool


class Stop(NamedTuple):
    """The server will refuse every other request, too."""

    reason: str


Outcome = Reply | Refusal | Nonsense | LostAnswer | Stop


@dataclass(frozen=True)
class ModelParameters:
    """The parameters that are sent with each prompt. None is not sent."""

    model: str
    limit_name: str
    max_tokens: int
    temperature: float | None
    seed: int | None

    def as_arguments(self, repetition: int) -> dict[str, Any]:
        """The seed of the second repetition is one higher, or it would be the same answer again."""
        arguments: dict[str, Any] = {"model": self.model, self.limit_name: self.max_tokens}
        if self.temperature is not None:
            arguments["temperature"] = self.temperature
        if self.seed is not None:
            arguments["seed"] = self.seed + repetition - 1
        return arguments


class ModelClient:
    """A connection to a server, as a context manager. At its end all requests are cancelled."""

    def __init__(
        self, url: str, key: str, parameters: ModelParameters, *, timeout_seconds: float
    ) -> None:
        self.url, self._key, self.parameters = url, key, parameters
        self.timeout_seconds = timeout_seconds
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="asking", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._openai = asyncio.run_coroutine_threadsafe(self._connected(), self._loop).result()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._closed(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _connected(self) -> Any:
        import openai  # takes half a second

        http_client = openai.DefaultAsyncHttpxClient(
            follow_redirects=False,  # to a host that is not allowed
            timeout=None,  # that of the whole answer is counted below
            event_hooks={"request": [self._strip_headers]},
        )
        return openai.AsyncOpenAI(
            base_url=self.url,
            api_key=self._key or NO_KEY,
            timeout=None,
            max_retries=0,  # the loop counts attempts, and what they cost
            http_client=http_client,
        )

    async def _strip_headers(self, request: Any) -> None:
        for name in list(request.headers):
            if name.lower() not in SENT_HEADERS:
                del request.headers[name]
        if self._key:
            request.headers["authorization"] = f"Bearer {self._key}"

    async def _closed(self) -> None:
        requests = asyncio.all_tasks() - {asyncio.current_task()}
        for request in requests:
            request.cancel()
        await asyncio.gather(*requests, return_exceptions=True)
        await self._openai.close()

    def ask(self, prompt: Prompt, repetition: int) -> Future[Outcome]:
        return asyncio.run_coroutine_threadsafe(self._outcome(prompt, repetition), self._loop)

    async def _outcome(self, prompt: Prompt, repetition: int) -> Outcome:
        import openai

        began = time.monotonic()
        try:
            async with asyncio.timeout(self.timeout_seconds):  # a server may send byte by byte
                response = await self._openai.chat.completions.with_raw_response.create(
                    messages=[
                        {"role": "system", "content": prompt.system},
                        {"role": "user", "content": prompt.user},
                    ],
                    **self.parameters.as_arguments(repetition),
                )
            body: bytes = response.http_response.content
        except openai.APIStatusError as error:
            return self._of_status(error, time.monotonic() - began)
        except (openai.APITimeoutError, TimeoutError):
            return LostAnswer(f"no answer within {self.timeout_seconds:g} seconds", None, True)
        except openai.APIConnectionError as error:
            # A refused connection costs nothing. One that breaks later may have had an answer.
            cause = error.__cause__
            is_unsent = type(cause).__name__ in ("ConnectError", "ConnectTimeout")
            return LostAnswer(self._said(cause or error), None, not is_unsent)
        seconds = time.monotonic() - began
        text = without_key(body.decode("utf-8", "replace"), self._key)
        completion = read_completion(text.encode("utf-8", "surrogatepass"))
        if completion is None:
            return Nonsense(storable(text), seconds)
        return Reply(completion, seconds)

    def _of_status(self, error: Any, seconds: float) -> Outcome:
        status: int = error.status_code
        text = without_key(error.response.text, self._key)
        said = f"{status}: {storable(text)[:LONGEST_MESSAGE].strip() or 'no text'}"
        if status == BUSY and "insufficient_quota" in text:
            return Stop(said)
        if status in (BUSY, LATER) or status >= 500:
            return LostAnswer(said, _seconds(error.response.headers.get("retry-after")), False)
        if status in OF_THE_REQUEST:
            return Refusal(said, seconds)
        return Stop(said)

    def _said(self, error: BaseException) -> str:
        text = f"{type(error).__name__} {without_key(str(error), self._key)}"
        return storable(text)[:LONGEST_MESSAGE].strip()


def _seconds(header: str | None) -> float | None:
    """The seconds of Retry-After; None without it, or for a date, which some servers send."""
    try:
        return max(0.0, float(header or ""))
    except ValueError:
        return None
