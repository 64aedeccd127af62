"""HTTP for pictures: one request at a time, at a stated rate, tried again where that may help.

Broken connections, time-outs and the statuses 408, 425, 429, 500, 502, 503 and 504 are tried again after
``Retry-After`` (RFC 9110, 10.2.3) or a doubling pause. A body is read up to a limit of bytes and counted against
Content-Length, so that a connection that ends early is seen.
"""

from __future__ import annotations

import ipaddress
import json
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import Any, Final, Self, TypeVar
from urllib.parse import urlsplit

import httpx

from multiglobeqa import __version__
from multiglobeqa.errors import InputError

RETRIED: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
LONGEST_PAUSE: Final = 300.0
_API_ANSWER_BYTES: Final = 64 << 20
_BUSY_CODES: Final = frozenset({"maxlag", "ratelimited", "readonly"})
_CHUNK: Final = 1 << 16
T = TypeVar("T")


class WebError(InputError):
    """An address gave nothing usable. ``cause``: a word for counting; ``lasting``: whether another try is useless."""

    def __init__(self, cause: str, what: str, *, url: str, lasting: bool, mend: str = "") -> None:
        self.cause, self.lasting = cause, lasting
        super().__init__(what, source=url, mend=mend)


class _Again(Exception):
    """The try failed and another may succeed."""

    def __init__(self, cause: str, what: str, pause: float | None = None) -> None:
        self.cause, self.pause = cause, pause
        super().__init__(what)


@dataclass
class Web:
    """A client. ``rate``: most requests a second; ``retries``: further tries of one request; ``pause``: seconds
    before the first of them, doubling; ``timeout``: seconds without a byte; ``seconds``: most for one body;
    ``contact``: an address or mailbox in the User-Agent, which Wikimedia asks for.
    """

    rate: float = 2.0
    retries: int = 5
    pause: float = 1.0
    timeout: float = 30.0
    seconds: float = 600.0
    contact: str = ""
    sleep: Callable[[float], None] = time.sleep
    _next: float = field(default=0.0, init=False)
    _client: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        agent = (
            f"multiglobeqa/{__version__} (benchmark pictures{'; ' + self.contact if self.contact else ''})"
        )
        if not agent.isprintable() or not agent.isascii():
            raise InputError(f"{self.contact!r} cannot stand in a User-Agent.", mend="Use plain ASCII text.")
        self._client = httpx.Client(
            headers={"User-Agent": agent}, timeout=self.timeout, follow_redirects=True, max_redirects=8
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._client.close()

    def api(self, url: str, form: Mapping[str, str]) -> dict[str, Any]:
        """The JSON answer of a MediaWiki API, asked with POST and ``maxlag``.

        A busy server (error codes maxlag, ratelimited, readonly) and a body that is no JSON object are tried again.
        Raises WebError; an error that the API states is lasting.
        """
        data = {**form, "format": "json", "formatversion": "2", "maxlag": "5"}

        def once() -> dict[str, Any]:
            response = self._send("POST", url, data=data)
            try:
                body, _ = _body(response, url, _API_ANSWER_BYTES, self.seconds)
            finally:
                response.close()
            return _answer(body, response, url)

        return self._steady(url, once)

    def download(self, url: str, limit: int, *, public: bool = False) -> tuple[bytes, str]:
        """The bytes at an address and the address that gave them after redirects.

        ``limit``: most bytes. ``public``: refuse addresses, also of redirects, that lie in a private network.
        Raises WebError with the causes http_404 (or another status), too_many_bytes, cut_off, no_connection,
        bad_address, private_address, too_slow.
        """

        def once() -> tuple[bytes, str]:
            response = self._send("GET", url, public=public)
            try:
                return _body(response, url, limit, self.seconds)
            finally:
                response.close()

        return self._steady(url, once)

    def _send(
        self, method: str, url: str, *, data: Mapping[str, str] | None = None, public: bool = False
    ) -> httpx.Response:
        try:
            urlsplit(url)  # raises ValueError for an unclosed bracket, which httpx takes for a host
            request = self._client.build_request(method, url, data=data)
            for _ in range(self._client.max_redirects + 1):
                self._wait()
                _check_address(request.url, url, public)
                response = self._client.send(request, stream=True, follow_redirects=False)
                if response.next_request is None:
                    break
                response.close()
                if request.url.scheme == "https" and response.next_request.url.scheme != "https":
                    raise WebError(
                        "bad_address", "leads to an address without encryption.", url=url, lasting=True
                    )
                request = response.next_request
            else:
                raise WebError("bad_address", "redirects without end.", url=url, lasting=True)
        except (httpx.InvalidURL, httpx.UnsupportedProtocol, UnicodeError, ValueError) as error:
            raise WebError("bad_address", f"is no address: {error}.", url=url, lasting=True) from error
        except httpx.HTTPError as error:
            raise _Again("no_connection", str(error) or type(error).__name__) from error
        if response.status_code != 200:
            response.close()
            status = response.status_code
            if status in RETRIED:
                raise _Again(f"http_{status}", f"status {status}", _retry_after(response))
            raise WebError(f"http_{status}", f"answered with status {status}.", url=url, lasting=True)
        return response

    def _steady(self, url: str, attempt: Callable[[], T]) -> T:
        failures = 0
        while True:
            try:
                return attempt()
            except _Again as error:
                failures += 1
                wait = self.pause * 2.0 ** (failures - 1) if error.pause is None else error.pause
                if failures > self.retries or wait > LONGEST_PAUSE:
                    raise WebError(
                        error.cause, f"gave nothing in {failures} tries: {error}.", url=url, lasting=False,
                        mend="Run the command again later; what was done is kept.",
                    ) from error  # fmt: skip
                self.sleep(wait)

    def _wait(self) -> None:
        now = time.monotonic()
        if self._next > now:
            self.sleep(self._next - now)
        self._next = max(now, self._next) + 1.0 / self.rate


def _body(response: httpx.Response, url: str, limit: int, seconds: float) -> tuple[bytes, str]:
    stated = response.headers.get("Content-Length", "")
    if stated.isdigit() and int(stated) > limit:
        raise _too_many(url, f"{int(stated):,}", limit)
    body = bytearray()
    deadline = time.monotonic() + seconds
    try:
        for chunk in response.iter_bytes(_CHUNK):
            body += chunk
            if len(body) > limit:
                raise _too_many(url, f"over {limit:,}", limit)
            if time.monotonic() > deadline:
                raise WebError("too_slow", f"sent no whole body in {seconds:.0f} s.", url=url, lasting=False)
    except httpx.HTTPError as error:
        raise _Again("cut_off", f"the connection broke off at byte {len(body)}: {error}") from error
    return bytes(body), str(response.url)


def _too_many(url: str, size: str, limit: int) -> WebError:
    return WebError("too_many_bytes", f"has {size} bytes; the limit is {limit:,}.", url=url, lasting=True)


def _answer(body: bytes, response: httpx.Response, url: str) -> dict[str, Any]:
    try:
        answer = json.loads(body)
    except ValueError as error:
        raise _Again("no_json", "the answer is no JSON") from error
    if not isinstance(answer, dict):
        raise _Again("no_json", "the answer is no JSON object")
    fault = answer.get("error")
    if isinstance(fault, dict):
        code = str(fault.get("code", "unknown"))
        if code in _BUSY_CODES or code.startswith("internal_api_error"):
            raise _Again(code, f"the API answered {code}", _retry_after(response))
        raise WebError(code, f"answered {code}: {fault.get('info', '')}", url=url, lasting=True)
    return answer


def _retry_after(response: httpx.Response) -> float | None:
    """Seconds of a Retry-After header: a number or an HTTP date."""
    text = response.headers.get("Retry-After", "").strip()
    if text.isascii() and text.isdigit():
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _check_address(address: httpx.URL, url: str, public: bool) -> None:
    if address.scheme not in ("http", "https") or not address.host:
        raise WebError("bad_address", "is no http or https address.", url=url, lasting=True)
    if not public:
        return
    try:
        found = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return  # the request itself will say so
    if not all(ipaddress.ip_address(str(entry[4][0]).partition("%")[0]).is_global for entry in found):
        raise WebError(
            "private_address",
            "lies in a private network.",
            url=url,
            lasting=True,
            mend="Allow it with --local.",
        )
