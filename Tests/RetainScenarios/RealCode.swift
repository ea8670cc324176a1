extension RetainScenario {
    static let realObjects: [RetainScenario] = []
    static let realTasks: [RetainScenario] = []
}
