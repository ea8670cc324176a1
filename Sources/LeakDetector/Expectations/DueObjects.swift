/// Objects from a ``GraceTimingWheel`` whose grace period is over, divided into deallocated and living objects.
struct DueObjects {
    /// Counts of deallocated objects, by the number of their call in ``CallTable``.
    private var deallocatedCounts: [UInt32: Int] = [:]
    private var livingObjects: [(subject: WeakSubject, callNumber: UInt32, tick: UInt32)] = []

    /// Divides the objects into deallocated and living objects. Do not call it while a lock is held: reading a weak reference
    /// retains the object for a moment, and the release after that may be its last.
    init(of chunks: [WeakChunk]) {
        for chunk in chunks {
            for index in 0..<chunk.count {
                let callNumber = chunk.callNumber(at: index)
                if let object = chunk.object(at: index) {
                    livingObjects.append((WeakSubject(object), callNumber, chunk.tick(at: index)))
                } else {
                    deallocatedCounts[callNumber, default: 0] += 1
                }
            }
        }
    }

    /// Ends the expectations of the deallocated objects, and schedules another check of the living objects.
    func update(_ expectations: inout Expectations<any Subject>, _ wheel: inout GraceTimingWheel, at now: Int)
    {
        for (callNumber, count) in deallocatedCounts {
            expectations.recordDeallocated(wheel.call(callNumber).context, count: count)
            wheel.release(callNumber, count: count)
        }
        for (subject, callNumber, tick) in livingObjects {
            let call = wheel.call(callNumber)
            let startedAt = Int(tick) * GraceTimingWheel.tickMilliseconds - call.graceMilliseconds
            expectations.continueAfterGracePeriod(
                subject, call.context, startedAt: min(startedAt, now), at: now)
            wheel.release(callNumber, count: 1)
        }
    }
}
