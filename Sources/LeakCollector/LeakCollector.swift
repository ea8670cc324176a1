// LeakCollector
