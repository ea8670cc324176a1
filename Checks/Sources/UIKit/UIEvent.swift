@MainActor
public final class UIEvent {
    public enum EventType: Sendable { case touches, motion }

    public let type: EventType
    public let allTouches: Set<UITouch>?

    public init(type: EventType, touches: Set<UITouch>?) {
        self.type = type
        allTouches = touches
    }
}

@MainActor
public final class UITouch: Hashable {
    public enum Phase: Sendable { case began, moved, ended }

    public let phase: Phase
    public let view: UIView?

    public init(_ phase: Phase, _ view: UIView?) {
        self.phase = phase
        self.view = view
    }

    public nonisolated static func == (one: UITouch, other: UITouch) -> Bool { one === other }
    public nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
