# syntax=docker/dockerfile:1
# The server of GAMA: HTTP API, gateway, page. No outside host but the registries; no model is downloaded.
#   docker build -t gama .
FROM python:3.12-slim AS build
WORKDIR /source
RUN python -m venv /opt/gama
# What changes seldom comes first: the packages are installed anew only when their list changes.
COPY pyproject.toml setup.py constraints.txt README.md LICENSE NOTICE ./
COPY src ./src
COPY state ./state
COPY guard ./guard
COPY vault ./vault
COPY models ./models
COPY tools ./tools
COPY privacy ./privacy
COPY nodes ./nodes
COPY graph ./graph
COPY middleware ./middleware
COPY serve ./serve
COPY evals ./evals
COPY training ./training
COPY accurate ./accurate
RUN --mount=type=cache,target=/root/.cache/pip \
    /opt/gama/bin/pip install --disable-pip-version-check --constraint constraints.txt \
        ".[serve,postgres,styles,documents]" ./accurate \
 && /opt/gama/bin/gama version

FROM python:3.12-slim
# A number, so that orchestrators can see that it is not root; it owns its folder and nothing else.
RUN groupadd --gid 10001 gama \
 && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/gama --shell /usr/sbin/nologin gama \
 && install --directory --owner=10001 --group=10001 --mode=0700 /var/lib/gama
COPY --from=build /opt/gama /opt/gama
ENV PATH=/opt/gama/bin:$PATH \
    GAMA_HOME=/var/lib/gama \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
USER 10001:10001
VOLUME /var/lib/gama
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["gama"]
# Beyond this machine the server wants API keys: GAMA_KEYS names their file (docs/server.md).
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]
