// LeakDetector
