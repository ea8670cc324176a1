internal import LeakPlatform
internal import LeakStore

/// Cache of the current rules of all apps, for the threads that group reports.
final class RulesCache: Sendable {
    struct Snapshot: Sendable {
        /// Number that changes when rules change. A report that was grouped before the change may now belong to another group.
        var generation = 0
        /// The rules of the apps that have any, by the name of the app.
        var rulesByApp: [ByteText: FingerprintRules] = [:]
    }

    private let state = Guarded(Snapshot())
    /// The version that was loaded last. It is locked while rules are loaded, so that older rules never replace newer ones.
    private let loadedVersion = Guarded<RulesVersion?>(nil)

    var snapshot: Snapshot { state.with { $0 } }

    /// Loads the rules if they have changed.
    func refresh(from reader: any StoreReader) throws(StoreError) {
        try loadedVersion.with { loadedVersion throws(StoreError) in
            let version = try reader.rulesVersion()
            guard loadedVersion != version else { return }
            var rules: [ByteText: FingerprintRules] = [:]
            for stored in try reader.currentRules() { rules[ByteText(stored.app)] = FingerprintRules(stored) }
            state.with { state in
                guard state.rulesByApp != rules else { return }
                state.rulesByApp = rules
                state.generation += 1
            }
            loadedVersion = version
        }
    }
}
