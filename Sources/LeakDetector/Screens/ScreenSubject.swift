internal import LeakMessage

/// A closed screen, which is looked at on the main queue.
final class ScreenSubject: Subject {
    private let record: ScreenRecord
    private let visit: Int
    /// `true` if the screen may have a parent, as long as the root of its parents is detached.
    private let withinParent: Bool

    @MainActor
    init(_ record: ScreenRecord, withinParent: Bool = false) {
        self.record = record
        self.withinParent = withinParent
        visit = record.visits
    }

    var object: AnyObject? { record.screen.node }

    func look() -> Sight { MainActor.assumeIsolated { sight } }

    func portrait(_ circumstances: Circumstances) -> Portrait {
        MainActor.assumeIsolated {
            record.isReported = true
            return Portrait(
                kind: .viewController, type: record.type, containers: record.place?.owners ?? [],
                children: record.node?.screenContained.map { type(of: $0) } ?? [])
        }
    }

    @MainActor
    private var sight: Sight {
        guard record.expectedInVisit == visit else { return .inUse }
        guard let node = record.node else { return .gone }
        guard ScreenRules.isDetached(withinParent ? ScreenRules.root(of: node) : node) else {
            record.takeBack()
            return .inUse
        }
        return .retained(record.identity)
    }
}
