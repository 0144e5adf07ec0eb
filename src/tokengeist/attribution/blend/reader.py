"""What reads features off candidates: who wrote one decides which list of features applies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from tokengeist.attribution.blend.page import Page
from tokengeist.attribution.blend.scene import Features, Scene
from tokengeist.transcript import Role


class FeatureReader(ABC):
    """Features of the candidates of one need."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.book = scene.book
        self.need = scene.need
        self.hard = scene.need.hard
        self.soft = scene.need.soft

    def of(self, page: Page) -> Features:
        """The features of one candidate."""
        by_role: dict[Role, Callable[[Page], Features]] = {
            Role.SYSTEM: self._system,
            Role.USER: self._user,
            Role.ASSISTANT: self._assistant,
            Role.TOOL: self._result,
        }
        return by_role[page.role](page)

    @abstractmethod
    def _system(self, page: Page) -> Features: ...

    @abstractmethod
    def _user(self, page: Page) -> Features: ...

    @abstractmethod
    def _assistant(self, page: Page) -> Features: ...

    @abstractmethod
    def _result(self, page: Page) -> Features: ...
