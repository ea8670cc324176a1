import LeakStore

/// Reads of the environment `production`, for tests that use no other environment.
extension StoreReader {
    func apps() throws(StoreError) -> [String] { try apps(in: AppKey.production) }
}
