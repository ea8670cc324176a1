import LeakMessage

/// The state of the current session in a file of the run, so that the next run finds it if this process is killed.
///
/// Each change appends a record to the file; the newest record counts.
struct SessionLog {
    static let fileEnding = ".session"
    /// The maximum size of the file in bytes. A file that would exceed it is replaced by a file with only the newest record.
    static let bytesLimit = 16 * 1024

    private(set) var session: EndedSession
    let name: String
    /// The origin of the session: the next run may be of another build.
    private let origin: SegmentHeader
    private var savedSession: EndedSession?
    private var fileBytes = 0

    init(_ session: EndedSession, of origin: SegmentHeader) {
        self.session = session
        self.origin = origin
        name = session.id + Self.fileEnding
    }

    mutating func add(checks: Int) { session.checks = session.checks.addingBounded(checks) }
    mutating func add(leaks: Int) { session.leaks = session.leaks.addingBounded(leaks) }
    mutating func add(unseen: Int) { session.unseen = session.unseen.addingBounded(unseen) }

    /// Saves the session. Without a folder, it is known only while the process lives.
    mutating func save(to folder: (any SegmentFolder)?) {
        guard let folder, session != savedSession else { return }
        var record: [UInt8] = []
        SegmentRecord.session(session).write(to: &record)
        let isFull = fileBytes + record.count > Self.bytesLimit
        if fileBytes == 0 || isFull { SegmentRecord.header(origin).write(to: &record) }
        if isFull {
            guard (try? folder.replace(name, with: record)) != nil else { return }
            fileBytes = record.count
        } else {
            let (count, failure) = folder.append(record, to: name)
            fileBytes += count
            guard failure == nil else { return }
        }
        savedSession = session
    }

    /// Returns the newest session that can be read; `nil` if there is none.
    static func newest(in bytes: [UInt8]) -> EndedSession? {
        for rawRecord in RecordCodec.read(bytes).rawRecords.reversed() {
            if case .session(let session)? = SegmentRecord(rawRecord) { return session }
        }
        return nil
    }
}

extension EndedSession {
    /// `true` if nothing was checked, leaked or left out, so that there is nothing to send.
    var isEmpty: Bool { checks == 0 && leaks == 0 && unseen == 0 }
}

extension Int {
    fileprivate func addingBounded(_ other: Int) -> Int {
        let (sum, isTooLarge) = addingReportingOverflow(Swift.max(other, 0))
        return isTooLarge ? .max : sum
    }
}
