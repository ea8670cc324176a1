print("leak-demo")
