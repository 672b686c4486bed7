# docker build --tag dralint . && docker run --rm --volume "$PWD:/work:ro" dralint check
FROM python:3.13-slim AS build
COPY pyproject.toml README.md LICENSE /source/
COPY dralint /source/dralint
COPY rules /source/rules
COPY schemas /source/schemas
RUN pip wheel --quiet --wheel-dir /wheels /source

FROM python:3.13-slim
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --quiet --no-cache-dir --no-index --find-links /wheels /wheels/dralint-*.whl
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["dralint"]
CMD ["check"]
