# Python's urllib.request.
import base64, json, os, sys
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from urllib.request import HTTPRedirectHandler, Request, build_opener

base_url, key = os.environ['ORDERS_BASE_URL'], os.environ['ORDERS_API_KEY']
headers = {
    'Authorization': 'Basic ' + base64.b64encode(f'{key}:'.encode()).decode(),
    'Content-Type': 'application/json',
    'Accept': 'application/json',
}
is_safest = sys.argv[1:] == ['safest']

class NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None

opener = build_opener(NoRedirect) if is_safest else build_opener()
limit = {'timeout': int(os.environ['ORDERS_TIMEOUT_MS']) / 1000} if is_safest else {}

def send(token, update):
    data = json.dumps(update).encode()
    request = Request(f'{base_url}/v2/orders/{token}', data, headers, method='PATCH')
    with opener.open(request, **limit) as response:
        text = response.read()
        if text or not is_safest:
            json.loads(text)

printing = Lock()

def send_order(updates):
    for given in updates:
        try:
            send(given['token'], given['update'])
            ok = True
        except Exception:
            ok = False
        with printing:
            print(json.dumps({'id': given['id'], 'ok': ok}), flush=True)

orders = {}
with open(os.environ['ORDERS_FILE'], encoding='utf-8') as file:
    for line in file:
        given = json.loads(line)
        orders.setdefault(given['token'], []).append(given)
with ThreadPoolExecutor(len(orders)) as pool:
    list(pool.map(send_order, orders.values()))
