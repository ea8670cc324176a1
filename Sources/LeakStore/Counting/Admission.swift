/// Says what new names count as: themselves, or ``StoreLimits/other`` beyond a limit.
///
/// Numbers of apps, releases, builds and leaks are those of the tally that asks: each kind in the order in which what
/// it counts as was first answered. What is admitted is expected to be written in the same transaction.
package protocol Admission: AnyObject {
    /// - Parameter key: the ingest key whose report names it.
    func app(named name: String, key: Int64, seen: Int64) throws(StoreError) -> String
    func release(_ version: String, of app: Int, at: Int64) throws(StoreError) -> String
    func build(_ name: String, of release: Int) throws(StoreError) -> String
    func leak(
        _ identity: LeakIdentity, of app: Int
    ) throws(StoreError) -> (counted: LeakIdentity, isNew: Bool)
    /// Whether a leak may count a build apart.
    ///
    /// - Parameter besides: how many builds the tally has of the leak.
    func admits(_ leak: Int, in build: Int, besides: Int, of app: Int) throws(StoreError) -> Bool
}

extension LeakIdentity {
    /// All leaks of an app beyond the limit. No hash of class and stack begins with eight zero bytes.
    package static func beyond(app: String) -> LeakIdentity {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in app.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return LeakIdentity(
            id: LeakID(high: 0, low: hash), app: app, kind: "object", className: nil, module: nil,
            title: "other leaks, beyond the limit of this app", stack: [], children: [], cycle: [],
            quality: .low,
            groupedBy: GroupedBy(version: 1, className: StoreLimits.other, stack: []))
    }

    /// As it counts in the app of that name. The one for apps beyond the limit has leaks of its own: the app that the
    /// leak is from may be taken later, from another key.
    package func counted(in name: String) -> LeakIdentity {
        guard name == StoreLimits.other, app != name else { return self }
        return LeakIdentity(
            id: LeakID(high: max(1, SplitMix64.mix(id.high)), low: SplitMix64.mix(id.low)), app: name,
            kind: kind, className: className, module: module, title: title, stack: stack,
            children: children, cycle: cycle, quality: quality, groupedBy: groupedBy)
    }

    package var isBeyond: Bool { id.high == 0 }

    /// Bytes of its row in `leak_text`, but for a few.
    package var storedBytes: Int {
        func bytes(_ texts: [String]) -> Int { texts.reduce(0) { $0 + $1.utf8.count + 2 } }
        // The text to search holds title, class and path once more.
        return 2 * title.utf8.count + 2 * bytes(stack) + bytes(children) + bytes(cycle)
            + groupedBy.className.utf8.count + bytes(groupedBy.stack)
    }
}
