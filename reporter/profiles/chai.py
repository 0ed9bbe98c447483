"""The attributes of CHAI's Applied Model Card 0.2, by the names of its XML schema's elements."""

from __future__ import annotations

from reporter.profiles.attributes import Attribute, Standard

_OPTIONAL = False

CHAI = Standard(
    "chai",
    "CHAI Applied Model Card 0.2",
    "the XML schema of coalition-for-health-ai/mc-schema, v0.2",
    (
        Attribute("ModelName", "what the model is called", ("card:name",)),
        Attribute("ModelDeveloper", "who made it", ("card:owner",)),
        Attribute("DeveloperContact", "where the developer is reached", ("card:contact",)),
        Attribute("ReleaseStage", "how far the release is: in trial, in use, ..."),
        Attribute("ReleaseDate", "when it was released"),
        Attribute("ReleaseVersion", "which release this is", ("card:version",)),
        Attribute("GlobalAvailability", "where in the world it is offered"),
        Attribute("EHRCompatibility", "which health record systems it works with", required=_OPTIONAL),
        Attribute("RegulatoryApproval", "what regulators have allowed", required=_OPTIONAL),
        Attribute("Summary", "the model in a few sentences", ("section:summary",)),
        Attribute("Keywords", "words to find it by"),
        Attribute("IntendedUseAndWorkflow", "what it is for and where in the work it comes", ("section:intended_use",)),
        Attribute("PrimaryIntendedUsers", "who uses it", ("section:users",)),
        Attribute("HowToUse", "how its output is used", ("section:how_to_use",)),
        Attribute("TargetedPatientPopulation", "which patients it is meant for"),
        Attribute("CautionedOutOfScopeSettings", "where it must not be used", ("section:out_of_scope",)),
        Attribute("KnownRisksAndLimitations", "risks and limits", ("section:warnings",)),
        Attribute("KnownBiasesOrEthicalConsiderations", "biases and ethical questions", ("section:considerations",)),
        Attribute("ClinicalRiskLevel", "how much harm a wrong output can do"),
        Attribute("OutcomesAndOutputs", "what it predicts and puts out", ("section:model", "result:output")),
        Attribute("ModelType", "what kind of model it is", ("section:model",)),
        Attribute("FoundationModels", "foundation models inside it", required=_OPTIONAL),
        Attribute("InputDataSource", "where its inputs come from"),
        Attribute("OutputAndInputDataTypes", "the types of its inputs and outputs"),
        Attribute("DevelopmentDataCharacterization", "the data it was made from", ("section:training_data",)),
        Attribute("BiasMitigationApproaches", "what was done against bias", ("section:mitigations",)),
        Attribute("OngoingMaintenance", "how it is kept right in use", ("section:monitoring",)),
        Attribute("Security", "how it is protected", required=_OPTIONAL),
        Attribute("Transparency", "what is disclosed, and to whom", required=_OPTIONAL),
        Attribute("FundingSource", "who paid for it"),
        Attribute("ThirdPartyInformation", "what comes from third parties", required=_OPTIONAL),
        Attribute("StakeholdersConsulted", "who was asked"),
        Attribute("UsefulnessUsabilityEfficacy", "results: usefulness and efficacy", ("result:overall",)),
        Attribute("FairnessEquity", "results: fairness", ("result:groups", "result:comparisons")),
        Attribute("SafetyReliability", "results: safety and reliability", ("result:agreement",)),
        Attribute("EvaluationReferences", "evaluations elsewhere", required=_OPTIONAL),
        Attribute("ClinicalTrial", "a clinical trial of it", required=_OPTIONAL),
        Attribute("PeerReviewedPublications", "publications about it"),
        Attribute("ReimbursementStatus", "whether it is reimbursed", required=_OPTIONAL),
        Attribute("PatientConsentOrDisclosure", "what patients are told or agree to"),
        Attribute("Bibliography", "literature"),
    ),
)
