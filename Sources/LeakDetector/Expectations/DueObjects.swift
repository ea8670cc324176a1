/// Objects from a ``GraceTimingWheel`` whose grace period is over, divided into deallocated and living ones.
struct DueObjects {
    /// The numbers of deallocated objects, by slot.
    private var gone: [UInt32: Int] = [:]
    private var alive: [(subject: WeakSubject, slot: UInt32, tick: UInt32)] = []

    /// Looks at the objects. Call it with no lock held: a look can deallocate an object.
    init(of chunks: [WeakChunk]) {
        for chunk in chunks {
            for index in 0..<chunk.count {
                let slot = chunk.slot(at: index)
                if let object = chunk.object(at: index) {
                    alive.append((WeakSubject(object), slot, chunk.tick(at: index)))
                } else {
                    gone[slot, default: 0] += 1
                }
            }
        }
    }

    /// Ends the expectations of the deallocated objects, and passes the others on for another look.
    func update(_ expectations: inout Expectations<any Subject>, _ wheel: inout GraceTimingWheel, at now: Int)
    {
        for (slot, count) in gone {
            expectations.recordDeallocated(wheel.call(slot).context, count: count)
            wheel.release(slot, count: count)
        }
        for (subject, slot, tick) in alive {
            let call = wheel.call(slot)
            let startedAt = Int(tick) * GraceTimingWheel.tickMilliseconds - call.graceMilliseconds
            expectations.outlived(subject, call.context, startedAt: min(startedAt, now), at: now)
            wheel.release(slot, count: 1)
        }
    }
}
