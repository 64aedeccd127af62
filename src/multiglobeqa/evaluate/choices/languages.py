"""Language codes of all kinds as one: ISO 639-1, 639-2 and 639-3 codes and BCP 47 tags become ISO 639-3.

Reading rules exist for the benchmark's 17 languages, Swahili and Hausa; any other language follows the default rules.
A member of a macrolanguage that has rules is counted as that (cmn and yue as zho, swh as swa).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from multiglobeqa.errors import InputError

# ISO 639-1 to ISO 639-3, by the code tables of the registration authority.
_PAIRS: Final = """
aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak be:bel bg:bul bi:bis bm:bam
bn:ben bo:bod br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre cs:ces cu:chu cv:chv cy:cym da:dan de:deu dv:div dz:dzo
ee:ewe el:ell en:eng eo:epo es:spa et:est eu:eus fa:fas ff:ful fi:fin fj:fij fo:fao fr:fra fy:fry ga:gle gd:gla gl:glg
gn:grn gu:guj gv:glv ha:hau he:heb hi:hin ho:hmo hr:hrv ht:hat hu:hun hy:hye hz:her ia:ina id:ind ie:ile ig:ibo ii:iii
ik:ipk io:ido is:isl it:ita iu:iku ja:jpn jv:jav ka:kat kg:kon ki:kik kj:kua kk:kaz kl:kal km:khm kn:kan ko:kor kr:kau
ks:kas ku:kur kv:kom kw:cor ky:kir la:lat lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit lu:lub lv:lav mg:mlg mh:mah mi:mri
mk:mkd ml:mal mn:mon mr:mar ms:msa mt:mlt my:mya na:nau nb:nob nd:nde ne:nep ng:ndo nl:nld nn:nno no:nor nr:nbl nv:nav
ny:nya oc:oci oj:oji om:orm or:ori os:oss pa:pan pi:pli pl:pol ps:pus pt:por qu:que rm:roh rn:run ro:ron ru:rus rw:kin
sa:san sc:srd sd:snd se:sme sg:sag sh:hbs si:sin sk:slk sl:slv sm:smo sn:sna so:som sq:sqi sr:srp ss:ssw st:sot su:sun
sv:swe sw:swa ta:tam te:tel tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn to:ton tr:tur ts:tso tt:tat tw:twi ty:tah ug:uig
uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho yi:yid yo:yor za:zha zh:zho zu:zul
"""
_BIBLIOGRAPHIC: Final = """
tib:bod cze:ces wel:cym ger:deu gre:ell baq:eus per:fas fre:fra arm:hye ice:isl geo:kat mac:mkd mao:mri may:msa bur:mya
dut:nld rum:ron slo:slk alb:sqi chi:zho
"""
_MEMBERS: Final = (
    "cmn:zho yue:zho wuu:zho nan:zho hak:zho swh:swa als:sqi aae:sqi aat:sqi aln:sqi arb:ara pes:fas"
)
_RETIRED: Final = "iw:heb in:ind ji:yid mo:ron"


def _table(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


_TO_THREE: Final = {**_table(_PAIRS), **_table(_BIBLIOGRAPHIC), **_table(_MEMBERS), **_table(_RETIRED)}
_TO_TWO: Final = {three: two for two, three in _table(_PAIRS).items()}
_TAG: Final = re.compile(
    r"([A-Za-z]{2,3})(?:[-_][A-Za-z]{3})*(?:[-_]([A-Za-z]{4}))?(?:[-_][A-Za-z0-9]{1,8})*"
)


@dataclass(frozen=True)
class Language:
    """A language: ISO 639-3 code, the tag as written, and its script (ISO 15924) where the tag states one."""

    code: str
    tag: str
    script: str | None = None

    @property
    def short(self) -> str:
        """The ISO 639-1 code, else the ISO 639-3 one."""
        return short(self.code)


def read_language(tag: object) -> Language:
    """The language of a code or tag ("sw", "swa", "zh-Hant", "pt_BR"); raises InputError for anything else.

    A two-letter code that ISO 639-1 lacks stays as it is: the default rules hold for it.
    """
    match = _TAG.fullmatch(tag.strip()) if isinstance(tag, str) else None
    if match is None:
        raise InputError(
            f"{tag!r} is no language code.",
            mend='Write an ISO 639-1 or 639-3 code or a tag, as "sw" or "zh-Hant".',
        )
    code = match[1].lower()
    script = match[2].title() if match[2] else None
    return Language(_TO_THREE.get(code, code), match[0], script)


def is_listed(code: str) -> bool:
    """Whether a code is that of a language of ISO 639-1."""
    return code in _TO_TWO


def short(code: str) -> str:
    """The ISO 639-1 code of an ISO 639-3 code, else the code itself."""
    return _TO_TWO.get(code, code)
