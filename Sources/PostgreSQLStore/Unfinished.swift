#if PostgreSQL
import LeakStore
extension PostgreSQLStore {
    public func decide(_ decision: Decision, about leak: LeakID, now: Int64) throws(StoreError) -> PastDecision? {
        throw StoreError(.other, "unfinished")
    }
    public func setName(ofCredential id: Int64, to name: String) throws(StoreError) -> Bool {
        throw StoreError(.other, "unfinished")
    }
}
extension PostgreSQLReader {
    func check(app: String, version: String, baseline: String?, now: Int64) throws(StoreError) -> ReleaseCheck? {
        throw StoreError(.other, "unfinished")
    }
}
#endif
