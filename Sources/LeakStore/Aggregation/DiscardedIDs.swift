/// The ids of discarded leaks, with which a writer finds the reports that it drops.
package struct DiscardedIDs: Equatable, Sendable {
    /// The module of each leak, by the ids under which its reports may arrive. Empty if the module is not known.
    private var modules: [LeakID: String] = [:]

    package init() {}

    package var isEmpty: Bool { modules.isEmpty }

    package mutating func add(_ id: LeakID, module: String) { modules[id] = module }

    /// Returns the id under which reports of a leak are dropped; `nil` if the leak is not discarded. Of the two ids that a leak
    /// with a module may have, this is the id under which they would be counted.
    package func id(of leak: LeakIdentity) -> LeakID? {
        guard modules[leak.id] != nil || leak.otherModuleSpelling.map({ modules[$0.id] != nil }) ?? false
        else { return nil }
        let counted = leak.countedIdentity { modules[$0] }
        return modules[counted.id] == nil ? nil : counted.id
    }

    /// Removes the reports and explanations of discarded leaks from a submission, and adds the number of these reports to
    /// ``Submission/dropped``.
    ///
    /// - Returns: the number of removed reports, by the id of the discarded leak.
    package func remove(from submission: inout Submission) -> [LeakID: Int] {
        let hasNone =
            submission.sightings.allSatisfy { id(of: $0.leak) == nil }
            && submission.explanations.allSatisfy { id(of: $0.leak) == nil }
        guard !hasNone else { return [:] }
        var counts: [LeakID: Int] = [:]
        var countsOfApps: [AppKey: Int] = [:]
        submission.countsOnlyReportingOrigins = true
        submission.explanations.removeAll { id(of: $0.leak) != nil }
        let origins = submission.origins
        submission.sightings.removeAll { sighting in
            guard let id = id(of: sighting.leak) else { return false }
            counts[id, default: 0].addBounded(Total.bounded(sighting.count))
            if origins.indices.contains(sighting.originIndex) {
                countsOfApps[origins[sighting.originIndex].appKey, default: 0]
                    .addBounded(Total.bounded(sighting.count))
            }
            return true
        }
        for (app, count) in countsOfApps {
            submission.dropped.append(
                Submission.Dropped(
                    app: app.name, environment: app.environment, reason: DiscardedLeak.reason, count: count))
        }
        return counts
    }
}
