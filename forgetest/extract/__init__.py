"""From a completion to code: which part of a reply is the Rust that the case asks for."""

from forgetest.extract.choose import Rule
from forgetest.extract.extraction import Extraction, Extractor, Reason, extract
from forgetest.extract.wants import Wants, wants

__all__ = ["Extraction", "Extractor", "Reason", "Rule", "Wants", "extract", "wants"]
