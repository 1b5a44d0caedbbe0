#!/usr/bin/env python3
"""qa-host from Python, by ctypes alone. usage: embed.py [LIBRARY]"""
import ctypes
import json
import sys

qa = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libqa_host.so.1")
FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)
qa.qa_host_last_error.restype = ctypes.c_char_p
qa.qa_host_last_error.argtypes = qa.qa_host_destroy.argtypes = qa.qa_host_free.argtypes = [ctypes.c_void_p]
qa.qa_host_run_string.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)]
qa.qa_host_add_function.argtypes = [ctypes.c_void_p, ctypes.c_char_p, FUNCTION, ctypes.c_void_p]
qa.qa_host_complete.argtypes = [ctypes.c_void_p, ctypes.c_char_p]


@FUNCTION
def total(_user, call, arguments):
    qa.qa_host_complete(call, json.dumps(sum(json.loads(arguments))).encode())


host = ctypes.c_void_p()
if qa.qa_host_create(None, ctypes.byref(host)) != 0:
    sys.exit(qa.qa_host_last_error(None).decode())
qa.qa_host_add_function(host, b"python.total", total, None)
text = ctypes.c_void_p()
code = qa.qa_host_run_string(host, b"return require('python').total(1, 2, 3)", ctypes.byref(text))
print(ctypes.string_at(text).decode() if code == 0 else qa.qa_host_last_error(host).decode())
qa.qa_host_free(text)
qa.qa_host_destroy(host)
sys.exit(code)
