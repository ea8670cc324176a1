import LeakDetectorTexts
import LeakGrammar
import LeakMessage
import Testing

@Suite struct DetectorMessageTests {
    @Test func `the vectors of detectors' texts exist`() { #expect(DetectorText.all.count >= 28) }

    @Test(arguments: DetectorText.all)
    func `each vector gives the facts that it states`(vector: DetectorText) {
        let message = DetectorMessage(vector.message, demangle: demangle)
        #expect(message.className == vector.className)
        #expect(message.stack == vector.stack ?? [])
        #expect(message.children == vector.children ?? [])
        #expect(message.cycle == vector.cycle ?? [])
        #expect((message.event == .freed) == vector.isFreed)
        #expect(message.detector != nil)
    }

    @Test func `numbers in a text have the same limits as those in a field`() {
        let freed = DetectorMessage("LEAKED VIEW DEINITED <A: 0x1>\nDeinited after 999999999999.0s.")
        #expect(freed.livedMilliseconds == WireLimits.durationMilliseconds)
        let many = DetectorMessage("POSSIBLE LEAK ALERT: A - current count: 999999999, max count: 1")
        #expect(many.alive == WireLimits.aliveCount)
    }
}
