"""The 31 source attributes of predictive decision support interventions in ONC's HTI-1 rule (45 CFR 170.315(b)(11)(iv)(B))."""

from __future__ import annotations

from reporter.profiles.attributes import Attribute, Standard

HTI1 = Standard(
    "hti1",
    "HTI-1 source attributes of a predictive intervention",
    "the list that openemr/openemr seeds for 45 CFR 170.315(b)(11)",
    (
        Attribute(
            "predictive_details_developer", "who developed it and how to reach them", ("card:owner", "card:contact")
        ),
        Attribute("predictive_details_funding", "who paid for the development"),
        Attribute("predictive_details_output_value", "what value it puts out", ("section:model", "result:output")),
        Attribute("predictive_details_output_type", "what kind of output that is", ("result:output",)),
        Attribute("predictive_purpose_intended_use", "what it is for", ("section:intended_use",)),
        Attribute("predictive_purpose_patient_population", "for which patients"),
        Attribute("predictive_purpose_intended_users", "for which users", ("section:users",)),
        Attribute("predictive_purpose_decision_role", "what part it plays in a decision", ("section:how_to_use",)),
        Attribute("predictive_cautions_inappropriate_use", "where users are warned off it", ("section:out_of_scope",)),
        Attribute("predictive_cautions_risks", "risks, unfit settings, limits", ("section:warnings",)),
        Attribute(
            "predictive_development_criteria",
            "who was in the training data and who was not",
            ("section:training_data",),
        ),
        Attribute("predictive_development_variables", "which personal characteristics are inputs"),
        Attribute("predictive_development_demographics", "whom the training data represent"),
        Attribute("predictive_development_relevance", "how the training data fit the place of use"),
        Attribute("predictive_fairness_approach", "how a fair output was aimed at", ("section:considerations",)),
        Attribute("predictive_fairness_bias_mitigation", "what was done against bias", ("section:mitigations",)),
        Attribute(
            "predictive_validation_data_source", "the outside data it was tested on", ("section:evaluation_data",)
        ),
        Attribute("predictive_validation_tester", "who did the outside test"),
        Attribute("predictive_validation_demographics", "whom the outside data represent", ("result:composition",)),
        Attribute(
            "predictive_validation_process",
            "how the outside test was done",
            ("section:evaluation_data", "result:method"),
        ),
        Attribute("predictive_performance_internal_validity", "validity in test data of the training source"),
        Attribute("predictive_performance_internal_fairness", "fairness in test data of the training source"),
        Attribute(
            "predictive_performance_external_validity",
            "validity in outside data",
            ("section:evaluation_data", "result:overall"),
        ),
        Attribute(
            "predictive_performance_external_fairness",
            "fairness in outside data",
            ("section:evaluation_data", "result:groups", "result:comparisons"),
        ),
        Attribute("predictive_performance_outcome_evaluation", "studies of its effect on patients"),
        Attribute(
            "predictive_maintenance_validity_monitoring",
            "how and how often validity is watched",
            ("section:monitoring",),
        ),
        Attribute("predictive_maintenance_local_validity", "validity in local data"),
        Attribute(
            "predictive_maintenance_fairness_monitoring",
            "how and how often fairness is watched",
            ("section:monitoring",),
        ),
        Attribute("predictive_maintenance_local_fairness", "fairness in local data"),
        Attribute("predictive_updates_process", "how and how often it is updated", ("section:change_log",)),
        Attribute("predictive_updates_correction", "how often found risks are corrected"),
    ),
)
