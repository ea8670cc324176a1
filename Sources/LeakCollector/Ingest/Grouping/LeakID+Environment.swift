internal import LeakStore

extension LeakID {
    /// Returns the id of the same leak in an environment. In ``AppKey/production`` the id stays as it is; in any other environment
    /// its bits are inverted where the hash of the environment's name has a 1, so that each of the ids gives all others.
    func inEnvironment(_ environment: String) -> LeakID {
        guard environment != AppKey.production else { return self }
        let mask = LeakID(bytes: SHA256Hash.hash(Array("environment \(environment)".utf8)))
        return LeakID(high: high ^ mask.high, low: low ^ mask.low)
    }
}

extension StoreReader {
    /// Returns the ids that a leak has in the other environments of its app, whether or not it was reported from them.
    func idsInOtherEnvironments(
        of leak: LeakIdentity
    ) throws(StoreError) -> [(environment: String, id: LeakID)] {
        try environments(app: leak.app).filter { $0 != leak.environment }.map {
            ($0, leak.id.inEnvironment(leak.environment).inEnvironment($0))
        }
    }
}
