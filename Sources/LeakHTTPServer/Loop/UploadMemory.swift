/// What the bodies that are still arriving on one loop hold.
final class UploadMemory {
    /// Bytes, room that is not filled yet among them.
    fileprivate(set) var bytes = 0
}

extension Upload {
    /// Enters into the account what the body's room has become.
    func account(from former: Int) { memory.bytes += body.capacity - former }

    func leaveAccount() { memory.bytes -= body.capacity }
}

extension Loop {
    /// Ends the uploads that began first, while all of this loop hold more than its share of
    /// ``Limits/uploadBytes``: they are the slowest, since a body that comes at once is gone within a turn.
    func endUploadsBeyondShare() {
        while uploadMemory.bytes > uploadShare {
            var oldest: (connection: Connection, began: UInt64)?
            for case let connection? in connections {
                guard let upload = connection.upload, !upload.isComplete,
                    upload.began < oldest?.began ?? .max
                else { continue }
                oldest = (connection, upload.began)
            }
            guard let oldest else { return }
            refuse(oldest.connection, .tooManyBodies)
            settle(oldest.connection)
        }
    }
}
