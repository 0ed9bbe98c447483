"""The points of Annex IV (technical documentation) of Regulation (EU) 2024/1689."""

from __future__ import annotations

from reporter.profiles.attributes import Attribute, Standard

EU_ANNEX_IV = Standard(
    "eu_annex_iv",
    "AI Act, Annex IV",
    "Regulation (EU) 2024/1689",
    (
        Attribute(
            "1(a)",
            "purpose, provider, version and earlier versions",
            ("section:intended_use", "card:owner", "card:version"),
        ),
        Attribute("1(b)", "how it works with other hardware and software"),
        Attribute("1(c)", "versions of software, and what updates need"),
        Attribute("1(d)", "the forms in which it is supplied"),
        Attribute("1(e)", "the hardware it runs on"),
        Attribute("1(f)", "pictures of the product it is part of"),
        Attribute("1(g)", "the user interface"),
        Attribute("1(h)", "instructions for use", ("section:how_to_use",)),
        Attribute(
            "2(a)", "how it was developed, with what of third parties", ("section:model", "section:training_data")
        ),
        Attribute(
            "2(b)", "design: logic, choices, what it optimises, expected output", ("section:model", "result:output")
        ),
        Attribute("2(c)", "architecture and computing resources"),
        Attribute("2(d)", "training data: origin, scope, selection, labelling, cleaning", ("section:training_data",)),
        Attribute("2(e)", "human oversight that is needed", ("section:how_to_use",)),
        Attribute("2(f)", "changes that are planned beforehand"),
        Attribute(
            "2(g)",
            "validation and testing: data, measures, discriminatory impact, signed reports",
            ("section:evaluation_data", "result:overall", "result:comparisons"),
        ),
        Attribute("2(h)", "cybersecurity"),
        Attribute(
            "3",
            "monitoring and control: accuracy, also for groups, risks, oversight, inputs",
            ("section:warnings", "section:monitoring", "result:overall", "result:groups"),
        ),
        Attribute("4", "why these measures of performance fit"),
        Attribute("5", "risk management"),
        Attribute("6", "changes over its life", ("section:change_log",)),
        Attribute("7", "harmonised standards, or what was done instead"),
        Attribute("8", "the declaration of conformity"),
        Attribute("9", "how performance is evaluated after it was put on the market", ("section:monitoring",)),
    ),
)
