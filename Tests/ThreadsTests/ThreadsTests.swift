import Testing

@Test func `stands until the real tests come`() { #expect(Bool(true)) }
