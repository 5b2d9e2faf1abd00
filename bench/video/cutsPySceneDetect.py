"""Cuts that PySceneDetect finds: one line of JSON per clip and detector.

usage: python cutsPySceneDetect.py [--only detector] clip...
Needs `pip install scenedetect`. Detectors run with the settings they come with, and once more without
their shortest scene of 15 frames, so that two near cuts do not count against them.
"""

import json
import sys
import time

import scenedetect
from scenedetect import AdaptiveDetector, ContentDetector, SceneManager, open_video

detectors = {
    "adaptive": lambda: AdaptiveDetector(),
    "content": lambda: ContentDetector(),
    "adaptive, scenes from 1 frame": lambda: AdaptiveDetector(min_scene_len=1),
    "content, scenes from 1 frame": lambda: ContentDetector(min_scene_len=1),
}
chosen = [name for name in detectors if "--only" not in sys.argv or name == sys.argv[sys.argv.index("--only") + 1]]
clips = [argument for argument in sys.argv[1:] if argument.rsplit(".", 1)[-1] in ("mp4", "avi", "webm", "mkv")]
for clip in clips:
    for name in chosen:
        started = time.perf_counter()
        manager = SceneManager()
        manager.add_detector(detectors[name]())
        manager.detect_scenes(open_video(clip))
        cuts = [scene[0].seconds for scene in manager.get_scene_list()[1:]]
        print(json.dumps({
            "clip": clip,
            "detector": name,
            "version": scenedetect.__version__,
            "seconds": time.perf_counter() - started,
            "cuts": cuts,
        }), flush=True)
