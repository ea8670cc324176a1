/// The memory that the incomplete bodies of one loop occupy.
final class UploadMemory {
    /// The number of bytes, including unused capacity of buffers.
    fileprivate(set) var bytes = 0
}

extension Upload {
    /// Adds the change of the body's capacity to the total of the loop.
    ///
    /// - Parameter oldCapacity: the capacity before the change.
    func addCapacityChange(from oldCapacity: Int) { memory.bytes += body.capacity - oldCapacity }

    /// Subtracts the body's capacity from the total of the loop.
    func subtractCapacity() { memory.bytes -= body.capacity }
}

extension Loop {
    /// Ends the uploads that began first, until the uploads of this loop are within its share of ``Limits/uploadBytes``. These
    /// are the slowest uploads, because a body that arrives in one piece is handled within a turn.
    func endUploadsOverLimit() {
        while uploadMemory.bytes > uploadByteLimit {
            var oldest: (connection: Connection, startedAt: UInt64)?
            for case let connection? in connections {
                guard let upload = connection.upload, !upload.isComplete,
                    upload.startedAt < oldest?.startedAt ?? .max
                else { continue }
                oldest = (connection, upload.startedAt)
            }
            guard let oldest else { return }
            reject(oldest.connection, .tooManyBodies)
            finishTurn(oldest.connection)
        }
    }
}
