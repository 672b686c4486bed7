# docker build --tag dralint . && docker run --rm --volume "$PWD:/work:ro" dralint check
# The digest is that of python:3.13.15-slim-trixie for all architectures: docker buildx imagetools inspect python:3.13-slim
FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b AS build
COPY pyproject.toml README.md LICENSE /source/
COPY dralint /source/dralint
COPY rules /source/rules
COPY schemas /source/schemas
COPY requirements /source/requirements
RUN pip install --quiet --require-hashes -r /source/requirements/build.txt \
 && pip wheel --quiet --no-deps --no-build-isolation --wheel-dir /wheels /source \
 && pip download --quiet --require-hashes --dest /wheels -r /source/requirements/run.txt

FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --quiet --no-cache-dir --no-index --find-links /wheels /wheels/dralint-*.whl
LABEL org.opencontainers.image.source="https://github.com/dralint/dralint" org.opencontainers.image.licenses="Apache-2.0"
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["dralint"]
CMD ["check"]
