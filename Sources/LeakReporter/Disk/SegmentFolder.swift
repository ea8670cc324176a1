/// The folder of one run, in which the segments of its queue are: all that the queue asks of a disk.
///
/// Used on the reporter's own thread.
protocol SegmentFolder: AnyObject {
    /// Adds bytes to the end of a file, which is made where there is none.
    ///
    /// - Returns: how many bytes are in the file now, from the first on, and what kept the rest out.
    func append(_ bytes: [UInt8], to name: String) -> (written: Int, failure: FileFailure?)
    /// Returns when what was appended would survive a power cut, and no file that was removed before would come back.
    func sync(_ name: String) throws(FileFailure)
    func read(_ name: String) throws(FileFailure) -> [UInt8]
    /// Removes the bytes of a file after the first `length`.
    func truncate(_ name: String, to length: Int) throws(FileFailure)
    /// A file that is not there is no failure.
    func remove(_ name: String) throws(FileFailure)
    /// Puts a file in the place of another at once: either of the two is there whenever the process ends.
    func replace(_ name: String, with bytes: [UInt8]) throws(FileFailure)
    /// Takes over what runs that have ended left.
    ///
    /// - Returns: the names of all files that are now in this folder.
    func adopt() -> [String]
    /// Removes files that ended runs of other queues left: those of them that `choose` returns.
    ///
    /// - Returns: the bytes of the segments among them.
    func removeForeign(_ choose: ([ForeignFile]) -> [ForeignFile]) -> [[UInt8]]
}

/// A file of a run of another queue.
struct ForeignFile: Hashable {
    /// Absolute path of the run's folder.
    let folder: String
    let name: String
    let bytes: Int
}

/// A call of the system that failed.
struct FileFailure: Error, Hashable, CustomStringConvertible {
    let call: String
    let code: Int32
    let path: String

    var description: String { "\(call) \(path): \(Self.text(code))" }
}
