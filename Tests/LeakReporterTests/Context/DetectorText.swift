/// Texts of detectors, and the parts by which the collector distinguishes their leaks: class, path, children, cycle, and
/// whether the object leaked or was freed.
struct DetectorText: Sendable {
    let leak: String
    let text: String

    static let all: [DetectorText] = [
        DetectorText(
            leak: "MyApp.FooController",
            text: "VIEWCONTROLLER STILL IN MEMORY <MyApp.FooController: 0x7f88acc69260>"),
        DetectorText(
            leak: "MyApp.FooController freed",
            text: "LEAKED VIEWCONTROLLER DEINNITED <MyApp.FooController: 0x7f88acc69260>\n"
                + "\nDeinnited after 8.912s."),
        DetectorText(
            leak: "FooController freed",
            text: "LEAKED VIEWCONTROLLER DEINITED <FooController: 0x7f88acc69260>\n\nDeinit"
                + "ed after 8.912s."),
        DetectorText(
            leak: "UIView",
            text: "VIEW STILL IN MEMORY <UIView: 0x7f9849a214d0; frame = (65 176; 294 348"
                + "); autoresize = RM+BM; layer = <CALayer: 0x60000090ed00>>"),
        DetectorText(
            leak: "MyApp.CardView",
            text: "VIEW STILL IN MEMORY <MyApp.CardView: 0x15ba0fde0; baseClass = UIContr"
                + "ol; frame = (0 0; 0 0); gestureRecognizers = <NSArray: 0x166e4fe0>; la"
                + "yer = <CALayer: 0x28249e800>>"),
        DetectorText(
            leak: "UINavigationController [MyApp.AVC MyApp.BVC]",
            text: "VIEWCONTROLLER STILL IN MEMORY <UINavigationController: 0x7fb100000>:\n"
                + "[<MyApp.AVC: 0x7fb1a0000>, <MyApp.BVC: 0x7fb1b0000>]"),
        DetectorText(
            leak: "UIAlertController",
            text: "ALERTCONTROLLER STILL IN MEMORY <UIAlertController: 0x7fb1c0000>\ntitle"
                + ": \"Löschen?\"\nmessage: \"3 Fotos\"\nactions:  \"Abbrechen\", \"OK\""),
        DetectorText(
            leak: "MyApp.FooController",
            text: "VIEWCONTROLLER STILL IN MEMORY <MyApp.FooController: 0x7f88acc69260>\na"
                + "pp state on leak: ACTIVE"),
        DetectorText(
            leak: "LeakingViewController",
            text: "MyApp/DeallocationChecker.swift:81: Fatal error: LeakingViewController"
                + " not deallocated after being dismissed"),
        DetectorText(
            leak: "LeakingViewController",
            text: "MyApp/x.swift:4: Assertion failed: LeakingViewController not deallocat"
                + "ed after being removed from its parent"),
        DetectorText(
            leak: "LeakingViewController",
            text: "LeakingViewController is still in memory even though its view was remo"
                + "ved from hierarchy. Please open Memory Graph Debugger to find strong r"
                + "eferences to it."),
        DetectorText(
            leak: "MyTableViewCell MyTableViewController/UITableView/UITableViewWrapperView/MyTableViewCell",
            text: "Memory Leak: (\n    MyTableViewController,\n    UITableView,\n    UITable"
                + "ViewWrapperView,\n    MyTableViewCell\n)"),
        DetectorText(
            leak: "MyTableViewCell MyTableViewController/UITableView/UITableViewWrapperView/MyTableViewCell",
            text: "2017-11-14 11:58:37.373501+0800 lin-sdk-demo[3933:3009455] Memory Leak"
                + ": (\n    MyTableViewController,\n    UITableView,\n    UITableViewWrapper"
                + "View,\n    MyTableViewCell\n)"),
        DetectorText(
            leak: "MyTableViewCell MyTableViewController/UITableView/UITableViewWrapperView/MyTableViewCell",
            text: "Possibly Memory Leak.\nIn case that MyTableViewCell should not be deall"
                + "oced, override -willDealloc in MyTableViewCell by returning NO.\nView-V"
                + "iewController stack: (\n    MyTableViewController,\n    UITableView,\n   "
                + " UITableViewWrapperView,\n    MyTableViewCell\n)"),
        DetectorText(
            leak:
                "MyTableViewCell MyTableViewController/UITableView/UITableViewWrapperView/MyTableViewCell freed",
            text: "Object Deallocated: (\n    MyTableViewController,\n    UITableView,\n    "
                + "UITableViewWrapperView,\n    MyTableViewCell\n)"),
        DetectorText(
            leak:
                "_UIAlertControllerView ImagePickerSheetController.ImagePickerSheetController/UIView/_UIAlertControllerView",
            text: "Memory Leak: (\n    \"ImagePickerSheetController.ImagePickerSheetControl"
                + "ler\",\n    UIView,\n    \"_UIAlertControllerView\"\n)"),
        DetectorText(
            leak: "MyApp.SecretVC",
            text: "Memory Leak: (\n    \"_TtC5MyAppP33_9B7A0F1E2D3C4B5A69788796A5B4C3D28Sec"
                + "retVC\"\n)"),
        DetectorText(
            leak: "中文.我的VC",
            text: "Memory Leak: (\n    \"\\U4e2d\\U6587.\\U6211\\U7684VC\"\n)"),
        DetectorText(
            leak: "MyObject→NSArray",
            text: "Retain Cycle: (\n    \"-> _someObject -> __NSArrayI \",\n    \"-> MyObject "
                + "\"\n)"),
        DetectorText(
            leak: "MyApp.LeakingViewModel",
            text: "MyApp/LeakDetection.swift:7: Fatal error: Expected deallocation of MyA"
                + "pp.LeakingViewModel"),
        DetectorText(
            leak: "MyApp.PrivModel",
            text: "Expected deallocation of MyApp.(unknown context at $10a3b22bc).PrivMod"
                + "el"),
        DetectorText(
            leak: "MyApp.Store<…>",
            text: "Expected deallocation of MyApp.Store<Swift.Dictionary<Swift.String, Sw"
                + "ift.Optional<MyApp.Top>>>"),
        DetectorText(
            leak: "MemoryTest.LeakingViewController",
            text: "XCTAssertNil failed: \"<MemoryTest.LeakingViewController: 0x7f88acc6926"
                + "0>\" - Expected deallocation of Optional(<MemoryTest.LeakingViewControl"
                + "ler: 0x7f88acc69260>)"),
        DetectorText(
            leak: "MyApp.FooVM",
            text: "POSSIBLE LEAK ALERT: MyApp.FooVM - current count: 2, max count: 1"),
        DetectorText(
            leak: "FooController",
            text: "\n\nDetect Possible Controller Leak: FooController \n\n"),
        DetectorText(
            leak: "MyApp.FooInteractor",
            text: "<MyApp.FooInteractor: 5614401294713938324> has leaked. Objects are exp"
                + "ected to be deallocated at this time: NSMapTable {\n[9] 561440129471393"
                + "8324 -> MyApp.FooInteractor\n}\n"),
        DetectorText(
            leak: "FooWindowController freed",
            text: "Eventually did deallocate <FooWindowController:0x600000c1a000> after 1"
                + "2.41s (3 left)"),
        DetectorText(
            leak: "UIView AMLeaksFinder.ViewHasLeakVC/UIView",
            text: "⚠️👇🏻\n视图泄漏: <UIView: 0x7f9849a214d0; frame = (65 176; 294 348); autores"
                + "ize = RM+BM; layer = <CALayer: 0x60000090ed00>> \n视图所在控制器 AMLeaksFinder"
                + ".ViewHasLeakVC \n操作路径:\nAMHomeVC(viewDidLoad:) -> \n⚠️👆🏻\n"),
    ]
}
