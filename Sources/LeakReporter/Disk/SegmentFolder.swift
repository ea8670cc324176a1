/// The folder of one run, which contains the segments of its queue: the interface between the queue and the disk.
///
/// Must be used on the reporter's own thread.
protocol SegmentFolder: AnyObject {
    /// Appends bytes to a file, and creates the file if it does not exist.
    ///
    /// - Returns: the number of bytes written, from the first on, and the failure that prevented the rest.
    func append(_ bytes: [UInt8], to name: String) -> (writtenBytes: Int, failure: FileFailure?)
    /// Blocks until a power cut would neither lose the bytes appended to the file nor restore a file that was removed earlier.
    func sync(_ name: String) throws(FileFailure)
    func read(_ name: String) throws(FileFailure) -> [UInt8]
    /// Cuts a file to its first `length` bytes.
    func truncate(_ name: String, to length: Int) throws(FileFailure)
    /// Removes a file. A missing file is not a failure.
    func remove(_ name: String) throws(FileFailure)
    /// Replaces the content of a file atomically: if the process ends at any time, either the old or the new file exists.
    func replace(_ name: String, with bytes: [UInt8]) throws(FileFailure)
    /// Adopts the files of runs that have ended.
    ///
    /// - Returns: the names of all files that are now in this folder.
    func adopt() -> [String]
    /// Removes the files chosen by `choose` from ended runs of other queues.
    ///
    /// - Returns: the bytes of the segments among them.
    func removeForeignFiles(_ choose: ([ForeignFile]) -> [ForeignFile]) -> [[UInt8]]
}

/// A file of an ended run that had another queue: another endpoint, key or app.
struct ForeignFile: Hashable {
    /// Absolute path of the run's folder.
    let folder: String
    let name: String
    let sizeBytes: Int
}

/// A failed system call.
struct FileFailure: Error, Hashable, CustomStringConvertible {
    /// The name of the system call, such as `open`.
    let call: String
    /// The value of `errno`.
    let code: Int32
    let path: String

    var description: String { "\(call) \(path): \(Self.message(ofErrorCode: code))" }
}
