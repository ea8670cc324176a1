/// The ids of leaks that were merged by hand, with which a writer finds the leak that counts their reports.
package struct MergedIDs: Equatable, Sendable {
    private struct Source {
        var module: String
        var target: LeakIdentity
    }

    private var sources: [LeakID: Source] = [:]
    /// Stands for the module of a merged leak whose module is not known. It equals no module, so that such a leak does not get
    /// the reports of every module that has its class. Discards of the leak store it.
    package static let unknownModule = "\u{1}"

    package init() {}

    package static func == (one: MergedIDs, other: MergedIDs) -> Bool {
        one.sources.count == other.sources.count
            && one.sources.allSatisfy { id, source in
                guard let their = other.sources[id] else { return false }
                return source.module == their.module && source.target.id == their.target.id
            }
    }

    /// - Parameters:
    ///   - id: the id of the merged leak.
    ///   - module: the module of the merged leak; empty if it is not known.
    ///   - target: the leak that counts the reports.
    package mutating func add(_ id: LeakID, module: String, target: LeakIdentity) {
        sources[id] = Source(module: module.isEmpty ? Self.unknownModule : module, target: target)
    }

    /// Returns the leak that counts the reports of a merged leak; `nil` for a leak that was not merged by hand.
    package func target(of id: LeakID) -> LeakIdentity? { sources[id]?.target }

    /// Returns the module of a merged leak; `nil` for a leak that was not merged by hand.
    package func module(of id: LeakID) -> String? { sources[id]?.module }

    /// Returns the given ids, followed by the ids of the leaks that count the reports of those that were merged by hand.
    package func withTargets(_ ids: [LeakID]) -> [LeakID] {
        sources.isEmpty ? ids : ids + ids.compactMap { sources[$0]?.target.id }
    }
}
