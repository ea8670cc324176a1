internal import LeakMessage

/// A closed screen, which is checked on the main queue.
final class ScreenSubject: Subject {
    private let record: ScreenRecord
    private let appearanceCount: Int
    /// `true` if the screen counts as closed even with a parent, as long as its outermost parent is detached.
    private let allowsParent: Bool

    @MainActor
    init(_ record: ScreenRecord, allowsParent: Bool = false) {
        self.record = record
        self.allowsParent = allowsParent
        appearanceCount = record.appearanceCount
    }

    var object: AnyObject? { record.screen.node }

    func readState() -> ObjectState { MainActor.assumeIsolated { objectState } }

    func description(in context: ExpectationContext) -> ObjectDescription {
        MainActor.assumeIsolated {
            record.isReported = true
            return ObjectDescription(
                kind: .viewController, type: record.type, containers: record.location?.owners ?? [],
                children: record.node?.screenContained.map { type(of: $0) } ?? [])
        }
    }

    @MainActor
    private var objectState: ObjectState {
        guard record.appearanceCountWhenExpected == appearanceCount else { return .inUse }
        guard let node = record.node else { return .gone }
        guard ScreenRules.isDetached(allowsParent ? ScreenRules.root(of: node) : node) else {
            record.withdrawExpectation()
            return .inUse
        }
        return .retained(record.identity)
    }
}
