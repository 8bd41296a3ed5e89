"""Text that poses as an instruction of the system: the wrappers it comes in, and what it demands."""

from __future__ import annotations

import re
from typing import Final

_CJK: Final = r"[\u4e00-\u9fff]"
_WRAPPER: Final = re.compile(
    rf"\[\[/?(?:[^\]\n]*[:=]|{_CJK}|[a-z]+[ -][a-z])[^\]\n]*\]\]"
    r"|<!--|<\|?/?system|<｜"
    r"|\bBEGIN (?:[A-Z]+ ){0,4}(?:MODEL|TRUSTED|SYSTEM|OPERATOR)\b"
    rf"|---\s{{0,9}}(?:(?i:model|origin|source|role|priority|status)|{_CJK}{{2,8}})\s*[:：]"
    rf"|(?i:\bmodel_context\s*:|\brole\s*[:：]\s*system\b)|模型上下文|推理缓存|{_CJK}{{2,8}}\s*[:：]\s*system\b"
    r"|(?i:\bsystem override\b|\bquoted (?:provider note|message from)\b|#\s*(?:security relay|ops escalation))"
    rf"|引用{_CJK}{{0,12}}[:：]\s?\n>"
    r"|(?i:\b(?:recovered|migrated|cached|embedded)\s+(?:control|operator|instruction|system)\b)"
)
_RULES: Final = (
    r"(?:rules?|polic(?:y|ies)|checks?|instructions?|guidance|authori[sz]ations?|permissions?|restrictions?|safeguards?"
    r"|safety|process(?:es)?|constraints?)"
)
_SETTING_ASIDE: Final = (
    r"(?:overrid(?:e|es|ing)|bypass(?:es|ing)?|ignor(?:e|es|ing)|disregard(?:s|ing)?|skip(?:s|ping)?|drop(?:s|ping)?"
    r"|forget(?:s|ting)?|suspend(?:s|ing)?|supersed(?:e|es|ing)|circumvent(?:s|ing)?)"
)
_DEMAND: Final = re.compile(
    rf"(?<!not )(?<!n't )(?<!never )(?<!without )\b{_SETTING_ASIDE}\b(?:\W+\w+){{0,4}}?\W+{_RULES}\b"
    rf"|\b(?:delete|remove|wipe|erase)\b(?:\W+\w+){{1,6}}?\W+(?:safety|polic(?:y|ies)|process|guidance|agents\.md)\b"
    r"|\bprefer destructive\b|\bdestructive completion\b"
    r"|\b(?:do not|never|omit|suppress|without)\s+(?:mention(?:ing)?|disclos(?:e|ing)|report(?:ing)?)\b"
    r"(?:\W+\w+){0,3}?\W+(?:override|bypass|cleanup|repair|conflict)\b",
    re.IGNORECASE,
)
_TOLERANCE: Final = re.compile(
    r"\b(?:left aside|set aside|ignored?|disregarded|has no (?:effect|force)|no attention|carried out without)\b",
    re.IGNORECASE,
)
_REFUSAL: Final = re.compile(r"\b(?:refus\w*|den(?:y|ied|ies)|declin\w*|reject\w*|security)\b", re.IGNORECASE)
_ABOUT_BLOCKS: Final = re.compile(
    r"\b(?:poses?|posing|pretend\w*|claims?|block|embedded|injected|hidden|system (?:message|instruction))\b",
    re.IGNORECASE,
)


def poses_as_system(text: str) -> bool:
    """Say whether a request carries text that poses as an instruction of the system or sets the rules aside."""
    return bool(_WRAPPER.search(text) or _DEMAND.search(text))


def tolerates_blocks(policy: str) -> bool:
    """Say whether a policy has such text left aside and the request itself carried out; if it is silent, it is not."""
    sentences = [each for each in re.split(r"(?<=[.!?;])\s+|\n+", policy) if _ABOUT_BLOCKS.search(each)]
    return any(_TOLERANCE.search(each) for each in sentences) and not any(_REFUSAL.search(each) for each in sentences)
