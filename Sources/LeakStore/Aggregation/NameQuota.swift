/// Chooses the names under which reports count: their own names, or ``StoreLimits/other`` beyond a limit.
///
/// A quota numbers apps, releases, builds and leaks, each kind from 0; later calls use these numbers. Admitted names are
/// expected to be written in the same transaction.
package protocol NameQuota: AnyObject {
    /// Returns the app under which the reports of an app count.
    ///
    /// - Parameter key: the ingest key whose report names the app.
    func app(_ app: AppKey, key: Int64, seenAt: Int64) throws(StoreError) -> AppAdmission
    /// Returns the name under which the reports of a version count. `app` is the number of its app.
    ///
    /// - Parameter key: the ingest key whose report names the version. The bytes of a new version count towards the key's daily
    ///   limit.
    func release(
        _ version: String, of app: Int, key: Int64, seenAt: Int64
    ) throws(StoreError) -> NameAdmission
    /// Returns the name under which the reports of a build count. `release` is the number of its release.
    ///
    /// - Parameter key: as for ``release(_:of:key:seenAt:)``.
    func build(_ name: String, of release: Int, key: Int64) throws(StoreError) -> NameAdmission
    /// Returns the leak under which the reports of a leak count, and the number of that leak. `app` is the number of its app.
    ///
    /// - Parameter key: the ingest key whose report names the leak.
    func leak(
        _ identity: LeakIdentity, of app: Int, key: Int64
    ) throws(StoreError) -> (leak: LeakAdmission, number: Int)
    /// Returns the module of a leak that exists: empty if no report has named one. Returns `nil` for a leak that does not
    /// exist.
    func module(of leak: LeakID) throws(StoreError) -> String?
    /// Returns `true` if the reports of a leak in a build may be counted separately from its reports in other builds.
    ///
    /// - Parameters:
    ///   - isLastResort: `true` for the build `other` of the release `other`, which counts those reports of the leak that may
    ///     not be counted in any other build. It is admitted even if a limit is reached.
    ///   - key: the ingest key whose report comes first. The bytes of a new build count towards the key's daily limit.
    func admits(_ leak: Int, in build: Int, isLastResort: Bool, of app: Int, key: Int64) throws(StoreError)
        -> Bool
}

/// The answer of a ``NameQuota`` about an app: the app and environment under which its reports count.
package struct AppAdmission: Sendable {
    package var key: AppKey
    /// The number that the quota gave the app; always 0 for ``UnlimitedNames``.
    package var number: Int

    package init(_ key: AppKey, number: Int) {
        self.key = key
        self.number = number
    }
}

/// The answer of a ``NameQuota`` about a version or build: the name under which its reports count.
package struct NameAdmission: Sendable {
    package var name: String
    /// The number that the quota gave the name; always 0 for ``UnlimitedNames``.
    package var number: Int

    package init(_ name: String, number: Int) {
        self.name = name
        self.number = number
    }
}

/// The answer of a ``NameQuota`` about a leak: the leak under which its reports count.
package struct LeakAdmission: Sendable {
    /// The leak itself or, beyond a limit, the leak that counts all others: ``LeakIdentity/overLimit(app:rowID:)``.
    package var counted: LeakIdentity
    /// `true` if the database does not have the leak ``counted`` yet.
    package var isNew: Bool
    /// The limit because of which the leak is counted as `other`; `nil` if no limit was reached.
    package var exceededLimit: OverLimitCount.Name?

    package init(counted: LeakIdentity, isNew: Bool, exceededLimit: OverLimitCount.Name? = nil) {
        self.counted = counted
        self.isNew = isNew
        self.exceededLimit = exceededLimit
    }
}

extension LeakIdentity {
    /// Returns the leak under which all leaks of an app beyond the limit are counted together. Its id begins with eight zero
    /// bytes; a hash of a class and a stack does not.
    ///
    /// - Parameter rowID: the row ID of the app.
    package static func overLimit(app: AppKey, rowID: Int64) -> LeakIdentity {
        LeakIdentity(
            id: LeakID(high: 0, low: UInt64(bitPattern: rowID)), app: app.name, environment: app.environment,
            kind: "object", className: nil, module: nil, title: "Not grouped (limit reached)", stack: [],
            children: [], cycle: [],
            quality: .low,
            groupingKey: GroupingKey(version: 1, className: StoreLimits.other, stack: []))
    }

    /// Returns the identity under which the leak counts in another app. In the app ``StoreLimits/other``, the leak has another
    /// id, because its own app may be admitted later, by another ingest key, and then needs the usual id for this leak.
    package func counted(in other: AppKey) -> LeakIdentity {
        guard other.name == StoreLimits.other, app != other.name else { return self }
        return LeakIdentity(
            id: LeakID(high: max(1, SplitMix64.mix(id.high)), low: SplitMix64.mix(id.low)),
            app: other.name, environment: other.environment, kind: kind, className: className,
            module: module, title: title, stack: stack,
            children: children, cycle: cycle, quality: quality, groupingKey: groupingKey,
            otherModuleSpelling: otherModuleSpelling?.counted(in: other))
    }

    /// `true` for the leak that counts all leaks of an app beyond the limit: ``overLimit(app:rowID:)``.
    package var isOverLimit: Bool { id.high == 0 }

    /// Approximate bytes of the leak's row in `leak_text`.
    package var storedBytes: Int {
        let path = SearchText.packedPathBytes(of: self)
        // The search text contains title and path again, unless the path is long.
        let search = path > SearchText.maxPathBytes ? 0 : title.utf8.count + path
        return title.utf8.count + path + groupingKey.className.utf8.count + packedGroupedStack.count + search
    }
}

/// A quota without limits: every name is counted under its own name, and none under `other`.
package final class UnlimitedNames: NameQuota {
    package init() {}

    package func app(_ app: AppKey, key: Int64, seenAt: Int64) -> AppAdmission {
        AppAdmission(app, number: 0)
    }

    package func release(_ version: String, of app: Int, key: Int64, seenAt: Int64) -> NameAdmission {
        NameAdmission(version, number: 0)
    }

    package func build(_ name: String, of release: Int, key: Int64) -> NameAdmission {
        NameAdmission(name, number: 0)
    }

    package func leak(_ identity: LeakIdentity, of app: Int, key: Int64) -> (leak: LeakAdmission, number: Int)
    {
        (LeakAdmission(counted: identity, isNew: false), 0)
    }

    package func module(of leak: LeakID) -> String? { nil }

    package func admits(_ leak: Int, in build: Int, isLastResort: Bool, of app: Int, key: Int64) -> Bool {
        true
    }
}

/// Entries numbered from 0 in the order in which their keys were added.
package struct NumberedEntries<Key: Hashable, Entry> {
    private var entries: [Entry] = []
    private var numbers: [Key: Int] = [:]

    package init() {}

    package func number(of key: Key) -> Int? { numbers[key] }

    /// Returns the number of a key. Adds the key with an entry if it is new.
    ///
    /// - Parameter entry: the entry of a new key.
    /// - Returns: the number of the key.
    package mutating func number(of key: Key, adding entry: @autoclosure () -> Entry) -> Int {
        if let number = numbers[key] { return number }
        entries.append(entry())
        numbers[key] = entries.count - 1
        return entries.count - 1
    }

    package subscript(number: Int) -> Entry {
        get { entries[number] }
        set { entries[number] = newValue }
    }
}

/// The hash of a text and of the row that the text belongs to, which takes less memory than the text.
///
/// The hash function differs from process to process, so a sender cannot choose two texts with the same hash.
package struct HashedName: Hashable {
    private let hash: UInt64

    /// - Parameters:
    ///   - owner: the row ID of the row that the text belongs to.
    ///   - hash: from ``hash(of:)``.
    package init(owner: Int64, hash: Int) {
        self.hash = SplitMix64.mix(UInt64(bitPattern: owner)) ^ UInt64(bitPattern: Int64(hash))
    }

    /// Creates the hash of a value of a leak.
    package init(leak: Int64, _ kind: ValueKind, hash: Int) {
        self.init(owner: leak, hash: hash << 3 | kind.rawValue)
    }

    package static func hash(of text: String) -> Int { ByteText(text).hashValue }
}
