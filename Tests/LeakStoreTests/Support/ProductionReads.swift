import LeakStore

/// Reads of one environment, for tests that have no other.
extension StoreReader {
    func apps() throws(StoreError) -> [String] { try apps(in: AppKey.production) }
}
