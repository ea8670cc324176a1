internal import LeakGrammar
internal import LeakMessage
internal import LeakStore

#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// Cache of the groups of earlier reports, by the bytes that determine a group. Finding an entry creates no string.
///
/// The cache is bounded: an entry is evicted if it is not used while half of the entries are replaced. The cache is not
/// thread-safe: only one thread uses it at a time.
struct GroupCache {
    private struct Entry {
        /// The bytes that determine the group, without those of the stack.
        let key: [UInt8]
        /// The stack, with masked addresses if it is a call stack.
        let stack: [UInt8]
        /// The masked addresses in ``stack``.
        let addresses: [Range<Int>]
        let groups: GroupingRules.Groups
        /// Images whose symbols named frames of the groups.
        let images: Set<String>

        /// Approximate bytes, including the overhead of arrays and allocations. Demangled names are much longer than
        /// the mangled names in the stack.
        var size: Int {
            let ownBytes = key.count + stack.count + addresses.count * MemoryLayout<Range<Int>>.size
            return ([groups.first] + groups.others).map(\.identity).reduce(ownBytes) { size, identity in
                size + Self.size(of: identity) + (identity.otherModuleSpelling.map(Self.addedSize) ?? 0)
            }
        }

        /// Returns the bytes that ``LeakIdentity/otherModuleSpelling`` adds. The texts of a call stack are shared by both
        /// spellings, so they are not counted again.
        private static func addedSize(of identity: LeakIdentity) -> Int {
            guard CallStack.titles(of: identity.stack) != nil else { return size(of: identity) }
            return 512 + 16 * (identity.stack.count + identity.groupingKey.stack.count)
        }

        private static func size(of identity: LeakIdentity) -> Int {
            let names =
                identity.stack + identity.children + identity.cycle + identity.groupingKey.stack
                + [identity.title, identity.groupingKey.className, identity.className, identity.module]
                .compactMap(\.self)
            return names.reduce(0) { $0 + 64 + $1.utf8.count }
        }
    }

    /// Maximum number of recent and older entries together: enough for a thousand leaks in eight spellings each.
    private let limit: Int
    /// Maximum bytes of recent and older entries together. Half of them are for recent entries: enough for a thousand leaks
    /// with call stacks of thirty frames, which take 9 KiB each. Other leaks take about 1,000 bytes.
    private static let maxBytes = 24 * 1024 * 1024
    private(set) var recentBytes = 0
    /// Entries that were added or used since this dictionary was last emptied, by the hash of key and stack.
    private var recentEntries: [UInt64: Entry] = [:]
    /// The previous contents of ``recentEntries``. They are evicted when ``recentEntries`` has reached half of the limits again.
    private var olderEntries: [UInt64: Entry] = [:]
    /// The hashes of recent entries with a call stack, by the hashes of their keys alone. They lead to an entry whose stack is
    /// then compared, which is faster than masking a stack to get its hash.
    private var callStackHashes: [UInt64: UInt64] = [:]
    /// The key of the report that is being grouped: the bytes that determine its group, without those of its stack.
    private var key: [UInt8] = []
    /// The hash of ``key``.
    private var keyHash: UInt64 = 0
    /// The stack of the report that is being grouped, with masked addresses if it is a call stack.
    private var stack: [UInt8] = []
    /// The seed is random, so that a sender cannot choose keys with equal hashes, which would replace each other.
    private let hasher = ByteHash(seed: .random(in: .min ... .max))
    private let hashMask: UInt64
    private let symbolTables: SymbolTableCache?
    private let rulesCache: RulesCache?
    /// The rules of the groups. Groups by other rules are removed.
    private var rules = RulesCache.Snapshot()
    /// The ``SymbolTableCache/generation`` of the groups. The names in groups of an earlier generation may be
    /// outdated.
    private var generation = 0
    /// Images whose symbols named frames of reports since ``begin(readsSymbols:)``.
    private var usedImages: Set<String> = []
    /// The number of reports since ``begin(readsSymbols:)`` that had no entry.
    private(set) var missCount = 0
    /// Error of reading symbols since ``begin(readsSymbols:)``. The groups of the request may lack names.
    private(set) var symbolError: StoreError?
    /// `false` if symbols must not be read from the store: ``FrameSymbolicator``.
    private var readsSymbols = true
    /// `true` if symbols were needed since ``begin(readsSymbols:)`` that are not in memory. The groups of the request may lack names.
    private(set) var lacksSymbols = false

    /// - Parameter hashMask: the bits of the hashes that are used. Fewer bits let tests cause equal hashes.
    init(
        limit: Int = 8192, symbolTables: SymbolTableCache? = nil, rules: RulesCache? = nil,
        hashMask: UInt64 = .max
    ) {
        self.limit = max(2, limit)
        self.symbolTables = symbolTables
        rulesCache = rules
        self.hashMask = hashMask
    }

    /// Begins a request: removes all groups if symbols were added or removed, or if the rules of an app were changed.
    ///
    /// - Parameter readsSymbols: `false` on an event loop, which must not wait for the disk.
    mutating func begin(readsSymbols: Bool = true) {
        (symbolError, missCount, lacksSymbols) = (nil, 0, false)
        self.readsSymbols = readsSymbols
        let current = symbolTables?.generation ?? generation
        let currentRules = rulesCache?.snapshot ?? rules
        guard current != generation || currentRules.generation != rules.generation else { return }
        (generation, rules) = (current, currentRules)
        (recentEntries, olderEntries, callStackHashes, recentBytes) = ([:], [:], [:], 0)
    }

    /// Ends a request: records which symbols it used.
    mutating func end() {
        guard !usedImages.isEmpty else { return }
        symbolTables?.recordUse(of: usedImages)
        usedImages = []
    }

    /// Number of entries.
    var count: Int { recentEntries.count + olderEntries.count }

    /// Groups a report of a document, as ``GroupingRules/groups(_:app:module:rules:symbols:)`` would.
    mutating func group(
        _ document: WireDocument, _ report: ReportSlices, app: AppKey, module: String?
    ) -> GroupingRules.Groups {
        makeKey(of: report, in: document, app: app, module: module)
        let stackBytes = document.bytes(of: report.stack)
        if let entry = entry(withCallStack: stackBytes) { return reuse(entry, for: report, in: document) }
        let isMasked = setStack(stackBytes, masksCalls: true)
        if let entry = cachedEntry() { return reuse(entry, for: report, in: document) }
        if isMasked {
            // The rules may have read this stack as a path of owners. The addresses are then part of the key.
            setStack(stackBytes, masksCalls: false)
            if let entry = cachedEntry() { return reuse(entry, for: report, in: document) }
        }
        missCount += 1
        // Values of this sighting alone are left out, so that cached groups do not pass them on to other sightings.
        var sharedReport = document.report(report)
        sharedReport.alive = nil
        sharedReport.livedMilliseconds = nil
        var symbolicator = FrameSymbolicator(symbolTables: symbolTables, readsTables: readsSymbols)
        let groups = GroupingRules.groups(
            sharedReport, app: app, module: module,
            rules: rules.rulesByApp.isEmpty ? nil : rules.rulesByApp[ByteText(app.name)]
        ) {
            symbolicator.calls($0, $1)
        }
        let masksCalls = isMasked && CallStack.titles(of: groups.first.identity.stack) != nil
        setStack(stackBytes, masksCalls: masksCalls)
        let entry = Entry(
            key: Self.exactCopy(of: key), stack: Self.exactCopy(of: stack),
            addresses: masksCalls ? TextMasker.maskedAddresses(in: stack) : [], groups: groups,
            images: symbolicator.usedImages)
        if let error = symbolicator.readError {
            symbolError = error
        } else if symbolicator.lacksTable {
            lacksSymbols = true
        } else {
            insert(entry, hash)
        }
        return refreshed(entry, for: report, in: document)
    }

    /// Returns the closures of an explanation with the names that symbols give them.
    mutating func symbolicated(_ closures: StoredClosures) -> StoredClosures {
        var symbolicator = FrameSymbolicator(symbolTables: symbolTables, readsTables: readsSymbols)
        let symbolicatedClosures = closures.symbolicated(by: &symbolicator)
        symbolError = symbolError ?? symbolicator.readError
        if symbolicator.lacksTable { lacksSymbols = true }
        return symbolicatedClosures
    }

    /// Records which symbols an entry used, and returns its groups with the values of the current report.
    private mutating func reuse(
        _ entry: Entry, for report: ReportSlices, in document: WireDocument
    ) -> GroupingRules.Groups {
        if !entry.images.isEmpty { usedImages.formUnion(entry.images) }
        return refreshed(entry, for: report, in: document)
    }

    /// Returns a copy of the exact length. The buffers of the current report have the capacity of the longest one so far.
    private static func exactCopy(of bytes: [UInt8]) -> [UInt8] {
        unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// Hash of the current key and stack.
    private var hash: UInt64 { (keyHash &* 0x9E37_79B9_7F4A_7C15 ^ hasher.hash(stack)) & hashMask }

    /// Returns the recent entry with the current key and a call stack that differs from `elements` only in addresses; `nil` if
    /// it is not found without masking the stack.
    private func entry(withCallStack elements: ArraySlice<UInt8>) -> Entry? {
        guard let hash = callStackHashes[keyHash], let entry = recentEntries[hash],
            Self.areEqual(entry.key, key),
            TextMasker.isCallStack(elements, equalTo: entry.stack, exceptAt: entry.addresses)
        else { return nil }
        return entry
    }

    /// Returns the entry with the current key and stack, and marks the entry as recently used; `nil` if there is none.
    private mutating func cachedEntry() -> Entry? {
        let hash = hash
        if let entry = recentEntries[hash], matchesCurrentReport(entry) {
            if !entry.addresses.isEmpty { callStackHashes[keyHash] = hash }
            return entry
        }
        guard let entry = olderEntries[hash], matchesCurrentReport(entry) else { return nil }
        insert(entry, hash)
        return entry
    }

    /// Returns `true` if an entry has the current key and stack. Entries with equal hashes may have others.
    private func matchesCurrentReport(_ entry: Entry) -> Bool {
        Self.areEqual(entry.stack, stack) && Self.areEqual(entry.key, key)
    }

    /// Returns `true` if two arrays are equal. It uses `memcmp`, because `==` compares arrays element by element.
    private static func areEqual(_ bytes: [UInt8], _ otherBytes: [UInt8]) -> Bool {
        guard bytes.count == otherBytes.count else { return false }
        return unsafe bytes.withUnsafeBytes { bytes in
            unsafe otherBytes.withUnsafeBytes { otherBytes in
                guard let start = bytes.baseAddress, let otherStart = otherBytes.baseAddress else {
                    return true
                }
                return unsafe memcmp(start, otherStart, bytes.count) == 0
            }
        }
    }

    private mutating func insert(_ entry: Entry, _ hash: UInt64) {
        if recentEntries.count >= limit / 2 || recentBytes >= Self.maxBytes / 2 {
            olderEntries = recentEntries
            recentEntries = [:]
            callStackHashes = [:]
            recentBytes = 0
        }
        // An entry with the same hash, of a report with another key or stack, is replaced.
        if let replaced = recentEntries.updateValue(entry, forKey: hash) { recentBytes -= replaced.size }
        if !entry.addresses.isEmpty { callStackHashes[keyHash] = hash }
        recentBytes += entry.size
    }

    /// Returns the groups of an entry for the current report. Values that are not part of the key, such as the number of live
    /// instances, are those of the report.
    private func refreshed(
        _ entry: Entry, for report: ReportSlices, in document: WireDocument
    ) -> GroupingRules.Groups {
        var groups = entry.groups
        let group = groups.first
        var lived = report.livedMilliseconds
        if lived == nil, group.isFreed {
            lived = livedMilliseconds(document, report, cachedGroup: group)
        }
        groups.first = GroupedReport(
            identity: group.identity, isFreed: group.isFreed, livedMilliseconds: group.isFreed ? lived : nil,
            alive: group.alive, rule: group.rule)
        groups.setAlive(report.alive)
        return groups
    }

    /// Returns the milliseconds from the leak until the object was freed, from the report's text.
    private func livedMilliseconds(
        _ document: WireDocument, _ report: ReportSlices, cachedGroup group: GroupedReport
    ) -> Int? {
        let text = Self.text(of: report)
        // If the text is part of the key, it differs from the cached text only in masked digits. So it has a duration only if
        // the cached text had one.
        guard !Self.textAffectsGroup(report, of: document) || group.livedMilliseconds != nil else {
            return nil
        }
        return document.string(text).flatMap(GroupingRules.livedMilliseconds)
    }

    private static func text(of report: ReportSlices) -> JSONSlice {
        report.message.isEmpty ? report.errorText : report.message
    }

    /// Returns `true` if the text affects the group: the fields do not give the class or the event, or they give no stack and
    /// the text may contain a call stack. Only a text with escape sequences may contain a call stack, because
    /// ``DetectorMessage/mayHaveCallStack(_:)`` looks for line ends and quotes, which JSON escapes.
    private static func textAffectsGroup(_ report: ReportSlices, of document: WireDocument) -> Bool {
        report.className.isEmpty || report.event == nil
            || text(of: report).isEscaped && !hasElements(document, report.stack)
    }

    /// Returns `true` if a list of strings has an element. The bytes of an empty list may be white space.
    private static func hasElements(_ document: WireDocument, _ list: JSONSlice) -> Bool {
        document.bytes(of: list).contains(UInt8(ascii: "\""))
    }

    /// Builds the current key: the bytes of the body that determine the group, each part preceded by its length. For the stack
    /// it contains only the length.
    private mutating func makeKey(
        of report: ReportSlices, in document: WireDocument, app: AppKey, module: String?
    ) {
        defer { keyHash = hasher.hash(key) }
        key.removeAll(keepingCapacity: true)
        key.append(report.event == nil ? 0 : report.event == .leak ? 1 : 2)
        switch report.kind {
        case nil: key.append(0)
        case .viewController: key.append(1)
        case .view: key.append(2)
        case .object: key.append(3)
        case .cycle: key.append(4)
        }
        append(app.name)
        append(app.environment)
        append(module ?? "")
        append(document, report.className)
        appendLength(report.stack.isPresent ? report.stack.count + 1 : 0)
        append(document, report.children)
        append(document, report.cycle)
        append(document, report.fingerprint)
        guard Self.textAffectsGroup(report, of: document) else { return }
        let text = Self.text(of: report)
        key.append(text.isEscaped ? 1 : 0)
        TextMasker.append(document.bytes(of: text), to: &key)
        guard text.isEmpty, report.errorDomain.isPresent else { return }
        append(document, report.errorDomain)
        key.append(report.errorDomain.isEscaped ? 1 : 0)
        append("\(report.errorCode)")
    }

    /// Sets the stack of the current report.
    ///
    /// - Parameter masksCalls: true to mask the addresses of a call stack.
    /// - Returns: `true` if it is a call stack whose addresses were masked.
    @discardableResult
    private mutating func setStack(_ elements: ArraySlice<UInt8>, masksCalls: Bool) -> Bool {
        stack.removeAll(keepingCapacity: true)
        if masksCalls, TextMasker.appendCallStack(elements, to: &stack) { return true }
        stack.append(contentsOf: elements)
        return false
    }

    private mutating func append(_ text: String) {
        appendLength(text.utf8.count)
        key.append(contentsOf: text.utf8)
    }

    private mutating func append(_ document: WireDocument, _ slice: JSONSlice) {
        appendLength(slice.isPresent ? slice.count + 1 : 0)
        if slice.isPresent { key.append(contentsOf: document.bytes(of: slice)) }
    }

    private mutating func appendLength(_ length: Int) {
        key.append(UInt8(truncatingIfNeeded: length))
        key.append(UInt8(truncatingIfNeeded: length >> 8))
        key.append(UInt8(truncatingIfNeeded: length >> 16))
        key.append(UInt8(truncatingIfNeeded: length >> 24))
    }
}
