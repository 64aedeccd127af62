"""True or false; and true, plausibly or false."""

from __future__ import annotations

from typing import Any, Final

from multiglobeqa.answers.base import Format, FormatError, Question, language_of, params_of, template_of
from multiglobeqa.answers.names import fold
from multiglobeqa.answers.rules import note
from multiglobeqa.answers.text import shown

TERNARY: Final = ("true", "plausibly", "false")
_TRUE: Final = {
    "eng": "true yes",
    "rus": "да верно правда истина",
    "zho": "是 对 真 是的",
    "fra": "oui vrai",
    "spa": "sí verdadero",
    "jpn": "はい 真",
    "deu": "ja wahr richtig",
    "ita": "sì vero",
    "por": "sim verdadeiro",
    "bul": "да вярно истина",
    "urd": "ہاں جی درست سچ",
    "ell": "ναι αληθές σωστό",
    "ron": "da adevărat",
    "kat": "დიახ კი ჭეშმარიტი",
    "tur": "evet doğru",
    "vie": "có đúng",
    "sqi": "po vërtetë saktë",
}
_FALSE: Final = {
    "eng": "false no",
    "rus": "нет неверно ложь",
    "zho": "否 不 假 不是",
    "fra": "non faux",
    "spa": "no falso",
    "jpn": "いいえ 偽",
    "deu": "nein falsch",
    "ita": "no falso",
    "por": "não falso",
    "bul": "не невярно лъжа",
    "urd": "نہیں غلط",
    "ell": "όχι ψευδές λάθος",
    "ron": "nu fals",
    "kat": "არა მცდარი",
    "tur": "hayır yanlış",
    "vie": "không sai",
    "sqi": "jo gabim",
}


def _words(table: dict[str, str], language: str) -> frozenset[str]:
    words = f"{table['eng']} {table.get(language, '')}"
    return frozenset(fold(word, language) for word in words.split())


class Boolean(Format):
    """true or false. Ternary questions (template L05) take "true", "plausibly" or "false"; exact."""

    name = "boolean"

    def ternary(self, question: Question) -> bool:
        """Whether the question has three values: template L05, ``params.ternary`` or a text as gold."""
        gold = question.get("gold")
        quoted = isinstance(gold, str) and gold.startswith('"')
        return template_of(question) == "L05" or params_of(question).get("ternary") is True or quoted

    def value_schema(self, question: Question) -> dict[str, Any]:
        """A boolean, or one of three words."""
        return {"type": "string", "enum": list(TERNARY)} if self.ternary(question) else {"type": "boolean"}

    def describe(self, question: Question) -> str:
        """For the prompt."""
        if self.ternary(question):
            return 'One of the words "true", "plausibly", "false".'
        return "true or false."

    def parse(self, value: object, question: Question) -> Any:
        """From a boolean, or the words for true, false, yes, no in English or the question's language."""
        ternary = self.ternary(question)
        if isinstance(value, bool):
            return ("true" if value else "false") if ternary else value
        if isinstance(value, str):
            language = language_of(question)
            word = fold(value[:100], language)
            if ternary and word == "plausibly":
                return word
            for truth, table in ((True, _TRUE), (False, _FALSE)):
                if word in _words(table, language):
                    if word not in TERNARY:
                        note(f"boolean: word for {str(truth).lower()} ({language})")
                    return ("true" if truth else "false") if ternary else truth
        wanted = "true, plausibly or false" if ternary else "true or false"
        raise FormatError(f"{shown(value)} is not {wanted}.")

    def distance(self, pred: Any, gold: Any, question: Question) -> float:
        """0 where equal, else 1; true and "true" are one value."""
        return float(str(pred).casefold() != str(gold).casefold())
