import LeakDetectorTexts
import LeakGrammar
import LeakMessage
import Testing

@Suite struct DetectorMessageTests {
    @Test func `the test data has at least 28 texts of detectors`() { #expect(DetectorText.all.count >= 28) }

    @Test(arguments: DetectorText.all)
    func `class, stack, children, cycle and event are read from the text of each detector`(
        vector: DetectorText
    ) {
        let message = DetectorMessage(vector.message, demangle: demangle)
        #expect(message.className == vector.className)
        #expect(message.stack == vector.stack ?? [])
        #expect(message.children == vector.children ?? [])
        #expect(message.cycle == vector.cycle ?? [])
        #expect((message.event == .freed) == vector.isFreed)
        #expect(message.detector != nil)
    }

    @Test func `numbers in a detector's text are limited like numbers in a field`() {
        let freed = DetectorMessage("LEAKED VIEW DEINITED <A: 0x1>\nDeinited after 999999999999.0s.")
        #expect(freed.livedMilliseconds == WireLimits.durationMilliseconds)
        let many = DetectorMessage("POSSIBLE LEAK ALERT: A - current count: 999999999, max count: 1")
        #expect(many.alive == WireLimits.aliveCount)
    }
}
