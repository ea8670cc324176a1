/// Says what new names count as: themselves, or ``StoreLimits/other`` beyond a limit.
///
/// What it admits is expected to be written in the same transaction.
protocol Admission: AnyObject {
    /// - Parameter key: the ingest key whose report names it.
    func app(named name: String, key: Int64, seen: Int64) throws(StoreError) -> AppEntry
    func release(_ version: String, of app: AppEntry, at: Int64) throws(StoreError) -> ReleaseEntry
    /// - Returns: the row of `build`.
    func build(_ name: String, of release: ReleaseEntry) throws(StoreError) -> (row: Int64, isBeyond: Bool)
    /// - Returns: no entry for a leak that is new.
    func leak(
        _ identity: LeakIdentity, of app: AppEntry
    ) throws(StoreError) -> (identity: LeakIdentity, entry: LeakEntry?)
    /// Whether a leak may count a build apart.
    ///
    /// - Parameters:
    ///   - leak: `nil` for a new one.
    ///   - besides: how many builds a new one has so far.
    func admits(
        _ leak: LeakEntry?, in build: Int64, besides: Int, of app: AppEntry
    ) throws(StoreError) -> Bool
}

extension LeakIdentity {
    /// All leaks of an app beyond the limit. No hash of class and stack begins with eight zero bytes.
    static func beyond(app: String) -> LeakIdentity {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in app.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return LeakIdentity(
            id: LeakID(high: 0, low: hash), app: app, kind: "object", className: nil, module: nil,
            title: "other leaks, beyond the limit of this app", stack: [], children: [], cycle: [],
            quality: .low,
            groupedBy: GroupedBy(version: 1, className: StoreLimits.other, stack: []))
    }

    var isBeyond: Bool { id.high == 0 }
}
