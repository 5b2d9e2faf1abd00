"""One flow with the client of openapi-python-client. scripts/testPythonClient.sh generates the package vouch_api and runs this file."""
import json
import os
import sys
import time
from io import BytesIO

from vouch_api import AuthenticatedClient
from vouch_api.api.gateway import get_gateway_info, get_message, set_reward_claimer
from vouch_api.api.recommender import get_training, recommend, related_items, start_training, upload_batches
from vouch_api.api.video import create_summarization, get_run
from vouch_api.models import (
    AcceptedMessage, ClaimerRequest, HistoryEntryRequest, Message, Problem, Recommendations, RecommendRequest, RelatedItemsOutputFormat, Run, RunRequest,
    SummaryOptionsRequest, Training, TrainRequest, UploadRequest,
)
from vouch_api.types import File

with open(os.environ["FLOW"], encoding="utf8") as file:
    flow = json.load(file)
client = AuthenticatedClient(base_url=os.environ["VOUCH_URL"], token=os.environ["VOUCH_API_KEY"], prefix="", auth_header_name="apikey")


def expect(answer, kind):
    """Returns an answer of the expected class; ends the program with any other answer, e.g. a problem."""
    if not isinstance(answer, kind):
        sys.exit(f"expected {kind.__name__}, got {answer}")
    return answer


def finish(ask):
    """Asks until a training or a run is complete."""
    while True:
        record = ask()
        if record.status in ("completed", "error", "cancelled"):
            return record if record.status == "completed" else sys.exit(str(record.error))
        time.sleep(0.2)


files = [File(payload=BytesIO(flow[name].encode()), file_name=f"{name}.csv") for name in ("entities", "interactions")]
batches = expect(upload_batches.sync(client=client, body=UploadRequest(files=files, tags=["python"])), list)
training = expect(start_training.sync(client=client, body=TrainRequest(model_id="python", data_tags=["python"])), Training)
done = finish(lambda: expect(get_training.sync(training.model_id, client=client), Training))
related = expect(related_items.sync(
    client=client, model_id=training.model_id, entity_id="scifi-1", output_format=RelatedItemsOutputFormat.JSON, max_recommendations=3), Recommendations)
session = expect(recommend.sync(client=client, body=RecommendRequest(model_id=training.model_id, history=[HistoryEntryRequest(id="scifi-1")])), Recommendations)
unknown = expect(get_training.sync("nobody-has-it", client=client), Problem)

options = SummaryOptionsRequest.from_dict({"duration": 2, "outputs": ["mp4"]})
run = expect(create_summarization.sync(client=client, body=RunRequest(media_url=flow["media_url"], options=options)), Run)
summary = finish(lambda: expect(get_run.sync(run.run_id, client=client), Run))

domain = get_gateway_info.sync(client=client).domain
accepted = expect(set_reward_claimer.sync(
    client=client, body=ClaimerRequest.from_dict(flow["message"]), origin="https://operator.example", user_agent="python", x_app_id="flow"), AcceptedMessage)
while True:
    message = expect(get_message.sync(accepted.data.request_id, client=client), Message)
    if message.status in ("failed", "expired"):
        sys.exit(str(message))
    if message.status == "confirmed":
        break
    time.sleep(0.2)

found = [
    len(batches), done.serving_version, len(related.recommendations), len(session.recommendations) > 0, unknown.code,
    [output.kind for output in summary.outputs], domain.name != "", str(message.status),
]
print("openapi-python-client:", json.dumps(found))
sys.exit(found != [2, 1, 3, True, "unknown-model", ["mp4"], True, "confirmed"])
