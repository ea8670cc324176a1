// LeakReporter
