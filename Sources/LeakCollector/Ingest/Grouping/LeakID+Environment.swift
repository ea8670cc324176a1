internal import LeakStore

extension LeakID {
    /// Returns the id of the same leak in an environment. In ``AppKey/production`` the id stays as it is; in any other
    /// environment its bits are inverted where the hash of the environment's name has a 1. Thus the ids in all environments can
    /// be computed from the id in one environment.
    func inEnvironment(_ environment: String) -> LeakID {
        guard environment != AppKey.production else { return self }
        let mask = LeakID(bytes: SHA256Hash.hash(Array("environment \(environment)".utf8)))
        return LeakID(high: high ^ mask.high, low: low ^ mask.low)
    }
}

extension StoreReader {
    /// Returns the ids that a leak has in the other environments of its app, whether or not it was reported from them. If the
    /// leak was merged into another leak in an environment, the id there is that of the other leak.
    func idsInOtherEnvironments(
        of leak: LeakIdentity
    ) throws(StoreError) -> [(environment: String, id: LeakID)] {
        try environments(app: leak.app).filter { AppKey(leak.app, environment: $0) != leak.appKey }.map {
            environment throws(StoreError) in
            let id = leak.id.inEnvironment(leak.environment).inEnvironment(environment)
            return (environment, try target(ofMerged: id) ?? id)
        }
    }
}
