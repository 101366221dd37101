"""The matchers that a rule of error categories, and one of a retry policy, may have: the only lists of them."""

from agent.documents.shape import Shape
from agent.manifests.fields import Name
from agent.manifests.matchers.facts import (
    OnCategory,
    OnConditions,
    OnCorroborated,
    OnExitCodes,
    OnFailureCategory,
    OnMinGrade,
    OnNamespaces,
    OnNodeConditions,
    OnOrigin,
    OnSignals,
)
from agent.manifests.matchers.text import (
    OnLogTail,
    OnNodeLog,
    OnOutput,
    OnPodError,
    OnPodEvents,
    OnTerminationMessage,
    OnTerminationMessageInRe2,
)


class CategoryMatchers(Shape):
    """The matchers of error categories."""

    onConditions: OnConditions = None
    onExitCodes: OnExitCodes = None
    onTerminationMessage: OnTerminationMessage = None
    onNamespaces: OnNamespaces = None
    onPodError: OnPodError = None
    onPodEvents: OnPodEvents = None
    onNodeConditions: OnNodeConditions = None
    onNodeLog: OnNodeLog = None
    onLogTail: OnLogTail = None
    onOutput: OnOutput = None
    onSignals: OnSignals = None


class PolicyMatchers(Shape):
    """The matchers of retry policies; ``onSubcategory`` narrows ``onCategory``."""

    onConditions: OnConditions = None
    onExitCodes: OnExitCodes = None
    onTerminationMessage: OnTerminationMessageInRe2 = None
    onFailureCategory: OnFailureCategory = None
    onCategory: OnCategory = None
    onSubcategory: Name | None = None
    onOrigin: OnOrigin = None
    corroborated: OnCorroborated = None
    minGrade: OnMinGrade = None
    onSignals: OnSignals = None
    onNodeConditions: OnNodeConditions = None
